// SPDX-License-Identifier: Apache-2.0
// Readers of videos, folders and single pictures.
#include <opencv2/imgcodecs.hpp>

#include "cli/folder.h"
#include "monitor/says.h"
#include "monitor/source/readers.h"
#include "monitor/source/test_video.h"
#include "scoped.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

class FileReader : public testing::Test {
 protected:
  // A reader of what has this name here; it is read to its end below.
  void make(const std::string& name, bool loop = false, bool timesInNames = false) {
    ReaderOptions options;
    options.loop = loop;
    options.timesInNames = timesInNames;
    reader_ = makeReader(parseSourceAddress(folder_.at(name)), options);
  }
  void open(const std::string& name, bool loop = false, bool timesInNames = false) {
    make(name, loop, timesInNames);
    ASSERT_TRUE(reader_->open()) << reader_->fault();
    EXPECT_FALSE(reader_->isLive());
  }
  // The next frames, as "position: what is seen", until the end or so many.
  std::vector<std::string> frames(std::size_t most = 100) {
    std::vector<std::string> all;
    while (all.size() < most && (last_ = reader_->read(shot_)) == ReadStatus::frame) {
      EXPECT_EQ(shot_.picture.type(), CV_8UC3);
      all.push_back(std::to_string(*shot_.positionMs) + ": " +
                    std::to_string(seen_(shot_.picture)));
    }
    return all;
  }
  std::string frameAfterSeek(std::int64_t positionMs) {
    EXPECT_TRUE(reader_->seek(positionMs));
    const auto found = frames(1);
    return found.empty() ? "" : found[0];
  }

  test::Folder folder_;
  std::unique_ptr<Reader> reader_;
  Shot shot_;
  ReadStatus last_ = ReadStatus::frame;
  std::function<int(const cv::Mat&)> seen_ = test::frameOf;
};

class VideoReader : public FileReader {
 protected:
  void write(int frames) { test::writeVideo(folder_.at("a.avi"), frames); }
  void cut(double share) {
    const auto whole = static_cast<double>(fs::file_size(folder_.at("a.avi")));
    fs::resize_file(folder_.at("a.avi"), static_cast<std::uintmax_t>(whole * share));
  }
};

TEST_F(VideoReader, GivesEveryFrameWithItsPlaceAndGoesToAnyFromItsEndToo) {
  write(30);
  open("a.avi");
  EXPECT_NEAR(reader_->paceMs(), 50, 1e-6);
  const auto all = frames();
  ASSERT_EQ(all.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(all[i], std::to_string(50 * i) + ": " + std::to_string(i));
  EXPECT_EQ(last_, ReadStatus::ended);
  EXPECT_EQ(reader_->fault(), "");
  for (const std::size_t frame : {10, 3, 29})
    EXPECT_EQ(frameAfterSeek(static_cast<std::int64_t>(50 * frame)), all[frame]);
  EXPECT_EQ(frameAfterSeek(3'600'000), all[29]) << "the last one";
}

TEST_F(VideoReader, BeginsAgain) {
  write(4);
  open("a.avi", true);
  EXPECT_EQ(frames(6),
            (std::vector<std::string>{"0: 0", "50: 1", "100: 2", "150: 3", "0: 0", "50: 1"}));
  EXPECT_EQ(frames(4).size(), 4U);
}

TEST_F(VideoReader, SaysWhatIsWrongWithAFile) {
  folder_.write("empty.avi", "");
  folder_.write("text.avi", std::string(5000, 'x'));
  write(40);
  cut(0.02);  // its head alone, in which it says that there are 40 frames
  for (const auto& [name, word] : {std::pair{"missing.avi", "no file"},
                                   {"empty.avi", "is empty"},
                                   {"text.avi", "not a video"},
                                   {"a.avi", ""}}) {
    for (const bool loop : {false, true}) {
      make(name, loop);
      EXPECT_FALSE(reader_->open() && reader_->read(shot_) != ReadStatus::failed) << name;
      EXPECT_NE(reader_->fault(), "");
      EXPECT_TRUE(has(reader_->fault(), word));
    }
  }
}

TEST_F(VideoReader, TellsThatAFileIsCutOff) {
  write(40);
  cut(0.4);
  open("a.avi");
  const std::size_t found = frames().size();
  EXPECT_GT(found, 3U);
  EXPECT_LT(found, 30U);
  EXPECT_TRUE(has(reader_->fault(), "cut off"));
  EXPECT_EQ(reader_->read(shot_), ReadStatus::ended);
}

TEST_F(VideoReader, PassesOverBrokenFrames) {
  write(40);
  std::string bytes = test::bytesOf(folder_.at("a.avi"));
  for (std::size_t i = bytes.size() / 3; i < bytes.size() / 2; ++i)
    bytes[i] = static_cast<char>(i * 37);
  folder_.write("b.avi", bytes);
  open("b.avi");
  std::int64_t last = -1;
  int found = 0;
  for (; reader_->read(shot_) == ReadStatus::frame; ++found) {
    EXPECT_GT(*shot_.positionMs, last);
    last = *shot_.positionMs;
    ASSERT_LT(found, 40);
  }
  EXPECT_GT(found, 5);
}

TEST_F(VideoReader, TakesNamesThatLookLikeProtocols) {
  write(3);
  fs::rename(folder_.at("a.avi"), folder_.at("12:30 50%.avi"));
  const test::CurrentFolder here(folder_.at(""));
  const auto video = makeReader(parseSourceAddress("12:30 50%.avi"));
  EXPECT_TRUE(video->open()) << video->fault();
}

TEST(PromisedFrames, AreNoneWhereAVideoSaysWhatCannotBe) {
  EXPECT_EQ(promisedFrames(25), 25);
  EXPECT_EQ(promisedFrames(999999999), 999999999);
  using Limits = std::numeric_limits<double>;
  // -9e15: what OpenCV makes of a file without a duration.
  for (const double told : {0.0, -1.0, -9e15, 1e9, 9e18, Limits::infinity(), Limits::quiet_NaN()})
    EXPECT_EQ(promisedFrames(told), 0) << told;
}

class FolderReader : public FileReader {
 protected:
  FolderReader() {
    seen_ = [](const cv::Mat& picture) { return picture.at<cv::Vec3b>(7, 11)[2]; };
  }
  void add(const std::string& name, int grey, int type = CV_8UC3) {
    ASSERT_TRUE(cv::imwrite(folder_.at(name), cv::Mat(8, 12, type, cv::Scalar::all(grey))));
  }
};
using Frames = std::vector<std::string>;

TEST_F(FolderReader, GivesPicturesByNameAtThePace) {
  add("b.png", 20);
  add("a.bmp", 10);
  add("c.PNG", 30, CV_8UC1);
  folder_.write("notes.txt", "no picture");
  fs::create_directory(folder_.at("d.png"));
  open("");
  EXPECT_EQ(reader_->paceMs(), 100);
  EXPECT_EQ(frames(), (Frames{"0: 10", "100: 20", "200: 30"}));
  EXPECT_EQ(last_, ReadStatus::ended);
  EXPECT_EQ(reader_->fault(), "");
  EXPECT_TRUE(shot_.picture.empty());
}

TEST_F(FolderReader, TimesInAllNamesArePositions) {
  const auto positions = [&] {
    open("", false, true);
    return frames();
  };
  add("20240612T152855Z.png", 10);
  add("20240612T153033Z.png", 20);
  add("gate 2024-06-13_00-00-01.png", 30);
  const std::vector<std::int64_t> times = {1718206135000, 1718206233000, 1718236801000};
  EXPECT_EQ(namedTimes(folder_.at("")), times);
  EXPECT_EQ(positions(), (Frames{"1718206135000: 10", "1718206233000: 20", "1718236801000: 30"}));
  EXPECT_EQ(frameAfterSeek(times[1] + 5), "1718206233000: 20");
  for (const char* name : {"zz.png", "20240631T120000Z.png", "gate 2024-06-13_24-00-01.png",
                           "gate 2024-06-13_00-00-01 again.png"}) {
    add(name, 40);
    EXPECT_TRUE(namedTimes(folder_.at("")).empty()) << name;
    EXPECT_TRUE(positions().back().starts_with("300: ")) << name;
    fs::remove(folder_.at(name));
  }
  EXPECT_TRUE(namedTimes(folder_.at("none")).empty());
}

TEST_F(FolderReader, PassesOverWhatCannotBeReadAndSaysSo) {
  make("");
  EXPECT_FALSE(reader_->open());
  EXPECT_TRUE(has(reader_->fault(), "holds no picture"));
  folder_.write("a.png", "broken");
  for (const bool loop : {false, true}) {
    open("", loop);
    EXPECT_EQ(reader_->read(shot_), ReadStatus::failed);
    EXPECT_TRUE(has(reader_->fault(), "1 of the 1"));
  }
  add("b.png", 20);
  folder_.write("c.jpg", "");
  add("d.png", 40);
  open("");
  EXPECT_EQ(frames(), (Frames{"100: 20", "300: 40"}));
  EXPECT_TRUE(has(reader_->fault(), "2 of the 4 pictures"));
  EXPECT_TRUE(has(reader_->fault(), "a.png"));
  EXPECT_EQ(frameAfterSeek(300), "300: 40") << "places stay as they are";
}

TEST_F(FolderReader, BeginsAgainAndLooksWhatIsThere) {
  add("a.png", 10);
  open("", true);
  EXPECT_EQ(frames(2), (Frames{"0: 10", "0: 10"}));
  add("b.png", 20);
  EXPECT_EQ(frames(3), (Frames{"0: 10", "100: 20", "0: 10"}));
}

TEST_F(FolderReader, GoesToAnyPicture) {
  for (int i = 0; i < 5; ++i) add(std::to_string(i) + ".png", 10 * i);
  open("");
  for (const auto& [positionMs, frame] :
       {std::pair{399, "300: 30"}, {0, "0: 0"}, {1'000'000, "400: 40"}, {-5, "0: 0"}})
    EXPECT_EQ(frameAfterSeek(positionMs), frame);
}

TEST_F(FolderReader, WatchesOnePictureAsItIsNow) {
  add("one.png", 50, CV_16UC1);
  open("one.png", true);
  EXPECT_EQ(frames(2).size(), 2U);
  add("one.png", 60);
  EXPECT_TRUE(has(frames(1).at(0), ": 60"));
}

}  // namespace
}  // namespace mpm::monitor
