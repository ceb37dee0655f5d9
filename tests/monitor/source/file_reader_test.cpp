// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/source/readers.h"
#include "monitor/source/test_video.h"
#include "scoped.h"

namespace mpm::monitor {
namespace {

class VideoReader : public testing::Test {
 protected:
  std::unique_ptr<Reader> reader(const std::string& name, bool loop = false) {
    ReaderOptions options;
    options.loop = loop;
    return makeReader(parseSourceAddress(folder_.at(name)), options);
  }
  void cut(const std::string& name, double share) {
    const auto whole = static_cast<double>(std::filesystem::file_size(folder_.at(name)));
    std::filesystem::resize_file(folder_.at(name), static_cast<std::uintmax_t>(whole * share));
  }

  test::Folder folder_;
};

TEST_F(VideoReader, GivesEveryFrameWithItsPlace) {
  test::writeVideo(folder_.at("a.avi"), 30);
  const auto video = reader("a.avi");
  ASSERT_TRUE(video->open()) << video->fault();
  EXPECT_FALSE(video->isLive());
  EXPECT_NEAR(video->paceMs(), 50, 1e-6);
  Shot shot;
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(video->read(shot), ReadStatus::frame) << i;
    EXPECT_EQ(shot.positionMs, 50 * i);
    EXPECT_EQ(test::frameOf(shot.picture), i);
  }
  EXPECT_EQ(video->read(shot), ReadStatus::ended);
  EXPECT_EQ(video->fault(), "");
}

TEST_F(VideoReader, GoesToAnyPlaceFromItsEndToo) {
  test::writeVideo(folder_.at("a.avi"), 30);
  const auto video = reader("a.avi");
  ASSERT_TRUE(video->open());
  Shot shot;
  while (video->read(shot) == ReadStatus::frame) {
  }
  for (const int frame : {10, 3, 29}) {
    ASSERT_TRUE(video->seek(50 * frame));
    ASSERT_EQ(video->read(shot), ReadStatus::frame);
    EXPECT_EQ(shot.positionMs, 50 * frame);
    EXPECT_EQ(test::frameOf(shot.picture), frame);
  }
  ASSERT_TRUE(video->seek(3'600'000));  // the last one
  ASSERT_EQ(video->read(shot), ReadStatus::frame);
  EXPECT_EQ(test::frameOf(shot.picture), 29);
}

TEST_F(VideoReader, BeginsAgain) {
  test::writeVideo(folder_.at("a.avi"), 4);
  const auto video = reader("a.avi", true);
  ASSERT_TRUE(video->open());
  Shot shot;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(video->read(shot), ReadStatus::frame);
    EXPECT_EQ(test::frameOf(shot.picture), i % 4);
    EXPECT_EQ(shot.positionMs, 50 * (i % 4));
  }
}

TEST_F(VideoReader, SaysWhatIsWrongWithAFile) {
  folder_.write("empty.avi", "");
  folder_.write("text.avi", std::string(5000, 'x'));
  for (const auto& [name, word] : {std::pair<const char*, const char*>{"missing.avi", "no file"},
                                   {"empty.avi", "is empty"},
                                   {"text.avi", "not a video"}}) {
    for (const bool loop : {false, true}) {
      const auto video = reader(name, loop);
      EXPECT_FALSE(video->open()) << name;
      EXPECT_NE(video->fault().find(word), std::string::npos) << video->fault();
    }
  }
}

TEST_F(VideoReader, TellsThatAFileIsCutOff) {
  test::writeVideo(folder_.at("a.avi"), 40);
  cut("a.avi", 0.4);
  const auto video = reader("a.avi");
  ASSERT_TRUE(video->open()) << video->fault();
  Shot shot;
  int frames = 0;
  while (video->read(shot) == ReadStatus::frame) ++frames;
  EXPECT_GT(frames, 3);
  EXPECT_LT(frames, 30);
  EXPECT_NE(video->fault().find("cut off"), std::string::npos) << video->fault();
  EXPECT_EQ(video->read(shot), ReadStatus::ended);
}

TEST_F(VideoReader, FailsWhereNoPictureComes) {
  test::writeVideo(folder_.at("a.avi"), 40);
  // Its head alone, in which it says that there are 40 frames.
  cut("a.avi", 0.02);
  for (const bool loop : {false, true}) {
    const auto video = reader("a.avi", loop);
    Shot shot;
    EXPECT_FALSE(video->open() && video->read(shot) != ReadStatus::failed);
    EXPECT_NE(video->fault(), "");
  }
}

TEST_F(VideoReader, PassesOverBrokenFrames) {
  test::writeVideo(folder_.at("a.avi"), 40);
  std::string bytes = test::bytesOf(folder_.at("a.avi"));
  for (std::size_t i = bytes.size() / 3; i < bytes.size() / 2; ++i)
    bytes[i] = static_cast<char>(i * 37);
  folder_.write("b.avi", bytes);
  const auto video = reader("b.avi");
  ASSERT_TRUE(video->open()) << video->fault();
  Shot shot;
  std::int64_t last = -1;
  int frames = 0;
  while (video->read(shot) == ReadStatus::frame) {
    EXPECT_GT(*shot.positionMs, last);
    last = *shot.positionMs;
    ASSERT_LE(++frames, 40);
  }
  EXPECT_GT(frames, 5);
}

TEST_F(VideoReader, TakesNamesThatLookLikeProtocols) {
  test::writeVideo(folder_.at("a.avi"), 3);
  std::filesystem::rename(folder_.at("a.avi"), folder_.at("12:30 50%.avi"));
  const test::CurrentFolder here(folder_.at(""));
  const auto video = makeReader(parseSourceAddress("12:30 50%.avi"));
  EXPECT_TRUE(video->open()) << video->fault();
}

TEST(PromisedFrames, AreNoneWhereAVideoSaysWhatCannotBe) {
  EXPECT_EQ(promisedFrames(25), 25);
  EXPECT_EQ(promisedFrames(999999999), 999999999);
  using Limits = std::numeric_limits<double>;
  // -9e15: what OpenCV makes of a file without a duration.
  for (const double told : {0.0, -1.0, -9e15, 1e9, 9e18, Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_EQ(promisedFrames(told), 0) << told;
  }
}

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
  const auto found = reader("");
  ASSERT_TRUE(found->open()) << found->fault();
  EXPECT_FALSE(found->isLive());
  EXPECT_EQ(found->paceMs(), 100);
  Shot shot;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(found->read(shot), ReadStatus::frame);
    EXPECT_EQ(shot.positionMs, 100 * i);
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

TEST_F(FolderReader, WatchesOnePictureAsItIsNow) {
  add("one.png", 50, CV_16UC1);
  ReaderOptions options;
  options.loop = true;
  const auto watched = reader("one.png", options);
  ASSERT_TRUE(watched->open());
  EXPECT_EQ(greys(*watched, 2).size(), 2U);
  add("one.png", 60);
  EXPECT_EQ(greys(*watched, 1), (std::vector<int>{60}));
}

}  // namespace
}  // namespace mpm::monitor
