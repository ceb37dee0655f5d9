// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/readers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "cli/folder.h"

namespace mpm::monitor {
namespace {

class FolderReader : public testing::Test {
 protected:
  void add(const std::string& name, int grey, int type = CV_8UC3) {
    ASSERT_TRUE(cv::imwrite(folder_.at(name), cv::Mat(8, 12, type, cv::Scalar::all(grey))));
  }
  std::unique_ptr<Reader> reader(const std::string& name = "", const ReaderOptions& options = {}) {
    return makeReader(parseSourceAddress(folder_.at(name)), options);
  }
  // The grey of each picture until it ends.
  static std::vector<int> greys(Reader& reader, std::size_t most = 100) {
    std::vector<int> found;
    Shot shot;
    while (found.size() < most && reader.read(shot) == ReadStatus::frame) {
      EXPECT_EQ(shot.picture.type(), CV_8UC3);
      found.push_back(shot.picture.at<cv::Vec3b>(0, 0)[0]);
    }
    return found;
  }

  test::Folder folder_;
};

TEST_F(FolderReader, GivesPicturesByNameAtThePace) {
  add("b.png", 20);
  add("a.bmp", 10);
  add("c.PNG", 30, CV_8UC1);
  folder_.write("notes.txt", "no picture");
  std::filesystem::create_directory(folder_.at("d.png"));
  ReaderOptions options;
  options.folderFps = 4;
  const auto found = reader("", options);
  ASSERT_TRUE(found->open()) << found->fault();
  EXPECT_FALSE(found->isLive());
  EXPECT_EQ(found->paceMs(), 250);
  Shot shot;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(found->read(shot), ReadStatus::frame);
    EXPECT_EQ(shot.positionMs, 250 * i);
    EXPECT_EQ(shot.picture.at<cv::Vec3b>(7, 11), cv::Vec3b::all(static_cast<uchar>(10 * (i + 1))));
  }
  EXPECT_EQ(found->read(shot), ReadStatus::ended);
  EXPECT_EQ(found->fault(), "");
  EXPECT_TRUE(shot.picture.empty());
}

TEST_F(FolderReader, TimesInAllNamesArePositions) {
  ReaderOptions options;
  options.timesInNames = true;
  const auto positions = [&] {
    const auto found = reader("", options);
    EXPECT_TRUE(found->open()) << found->fault();
    std::vector<std::int64_t> all;
    for (Shot shot; found->read(shot) == ReadStatus::frame;) all.push_back(*shot.positionMs);
    return all;
  };
  add("20240612T152855Z.png", 10);
  add("20240612T153033Z.png", 20);
  add("gate 2024-06-13_00-00-01.png", 30);
  const std::vector<std::int64_t> times = {1718206135000, 1718206233000, 1718236801000};
  EXPECT_EQ(namedTimes(folder_.at("")), times);
  EXPECT_EQ(positions(), times);
  const auto found = reader("", options);
  ASSERT_TRUE(found->open() && found->seek(times[1] + 5));
  EXPECT_EQ(greys(*found), (std::vector<int>{20, 30}));
  for (const char* name : {"zz.png", "20240631T120000Z.png", "gate 2024-06-13_24-00-01.png",
                           "gate 2024-06-13_00-00-01 again.png"}) {
    add(name, 40);
    EXPECT_TRUE(namedTimes(folder_.at("")).empty()) << name;
    EXPECT_EQ(positions().back(), 300) << name;
    std::filesystem::remove(folder_.at(name));
  }
  EXPECT_TRUE(namedTimes(folder_.at("none")).empty());
}

TEST_F(FolderReader, PassesOverWhatCannotBeReadAndSaysSo) {
  folder_.write("a.png", "broken");
  add("b.png", 20);
  folder_.write("c.jpg", "");
  add("d.png", 40);
  const auto found = reader();
  ASSERT_TRUE(found->open());
  EXPECT_EQ(greys(*found), (std::vector<int>{20, 40}));
  EXPECT_NE(found->fault().find("2 of the 4 pictures"), std::string::npos) << found->fault();
  EXPECT_NE(found->fault().find("a.png"), std::string::npos);
  // Places stay as they are: the second picture is that of the fourth file.
  ASSERT_TRUE(found->seek(300));
  Shot shot;
  ASSERT_EQ(found->read(shot), ReadStatus::frame);
  EXPECT_EQ(shot.positionMs, 300);
}

TEST_F(FolderReader, FailsWhereNothingCanBeRead) {
  const auto empty = reader();
  EXPECT_FALSE(empty->open());
  EXPECT_NE(empty->fault().find("holds no picture"), std::string::npos) << empty->fault();
  folder_.write("a.png", "broken");
  for (const bool loop : {false, true}) {
    ReaderOptions options;
    options.loop = loop;
    const auto broken = reader("", options);
    ASSERT_TRUE(broken->open());
    Shot shot;
    EXPECT_EQ(broken->read(shot), ReadStatus::failed);
    EXPECT_NE(broken->fault().find("1 of the 1"), std::string::npos) << broken->fault();
  }
  const auto missing = reader("missing");
  EXPECT_FALSE(missing->open());
  EXPECT_NE(missing->fault().find("there is no folder"), std::string::npos) << missing->fault();
}

TEST_F(FolderReader, BeginsAgainAndLooksWhatIsThere) {
  add("a.png", 10);
  ReaderOptions options;
  options.loop = true;
  const auto found = reader("", options);
  ASSERT_TRUE(found->open());
  EXPECT_EQ(greys(*found, 2), (std::vector<int>{10, 10}));
  add("b.png", 20);
  EXPECT_EQ(greys(*found, 3), (std::vector<int>{10, 20, 10}));
}

TEST_F(FolderReader, GoesToAnyPicture) {
  for (int i = 0; i < 5; ++i) add(std::to_string(i) + ".png", 10 * i);
  const auto found = reader();
  ASSERT_TRUE(found->open());
  ASSERT_TRUE(found->seek(399));
  EXPECT_EQ(greys(*found), (std::vector<int>{30, 40}));
  ASSERT_TRUE(found->seek(0));
  EXPECT_EQ(greys(*found, 1), (std::vector<int>{0}));
  ASSERT_TRUE(found->seek(1'000'000));
  EXPECT_EQ(greys(*found), (std::vector<int>{40}));
  ASSERT_TRUE(found->seek(-5));
  EXPECT_EQ(greys(*found, 1), (std::vector<int>{0}));
}

TEST_F(FolderReader, GivesOnePictureOnceOrAgainAndAgain) {
  add("one.png", 50, CV_16UC1);
  const auto once = reader("one.png");
  ASSERT_TRUE(once->open());
  EXPECT_EQ(greys(*once).size(), 1U);
  ReaderOptions options;
  options.loop = true;
  const auto watched = reader("one.png", options);
  ASSERT_TRUE(watched->open());
  EXPECT_EQ(greys(*watched, 2).size(), 2U);
  add("one.png", 60);  // as it is now
  EXPECT_EQ(greys(*watched, 1), (std::vector<int>{60}));
  const auto missing = reader("missing.png");
  EXPECT_FALSE(missing->open());
  EXPECT_NE(missing->fault().find("there is no picture"), std::string::npos);
}

}  // namespace
}  // namespace mpm::monitor
