// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/readers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include "cli/folder.h"
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

TEST_F(VideoReader, GivesPicturesOfTheirOwn) {
  test::writeVideo(folder_.at("a.avi"), 20);
  const auto video = reader("a.avi");
  ASSERT_TRUE(video->open());
  Shot first, later;
  ASSERT_EQ(video->read(first), ReadStatus::frame);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(video->read(later), ReadStatus::frame);
  EXPECT_EQ(test::frameOf(first.picture), 0);
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

}  // namespace
}  // namespace mpm::monitor
