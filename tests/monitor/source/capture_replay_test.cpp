// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/source/capture.h"
#include "monitor/source/scripted_reader.h"
#include "monitor/source/test_video.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using test::eventually;
using test::kLong;
using test::Script;
using test::Stage;

CaptureOptions replay() {
  CaptureOptions options = test::quick();
  options.everyFrame = true;
  return options;
}

// All of it, with a consumer that is now quick, now slow.
std::vector<Frame> all(Capture& capture, std::size_t most = 1000) {
  std::vector<Frame> frames;
  while (frames.size() < most) {
    auto frame = capture.next(kLong);
    if (!frame) break;
    frames.push_back(std::move(*frame));
    if (frames.size() % 7 == 0) std::this_thread::sleep_for(milliseconds(3));
  }
  return frames;
}

void expectSame(const std::vector<Frame>& one, const std::vector<Frame>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].number, i + 1);
    EXPECT_EQ(other[i].number, i + 1);
    EXPECT_EQ(one[i].taken.utcMs, other[i].taken.utcMs);
    EXPECT_EQ(one[i].taken.steadyMs, other[i].taken.steadyMs);
    EXPECT_EQ(one[i].taken.era, 0);
    EXPECT_TRUE(one[i].taken.synchronised);
    EXPECT_EQ(one[i].positionMs, other[i].positionMs);
    EXPECT_EQ(cv::norm(one[i].picture, other[i].picture, cv::NORM_INF), 0);
  }
}

TEST(CaptureReplay, GivesEveryFrameOfAVideoTheSameEachTime) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 50);
  std::vector<Frame> runs[2];
  for (auto& run : runs) {
    Capture capture(parseSourceAddress(folder.at("a.avi")), replay());
    run = all(capture);
    EXPECT_EQ(capture.status().state, CaptureState::ended);
    EXPECT_EQ(capture.status().drops, 0U);
    EXPECT_EQ(capture.status().frames, 50U);
  }
  expectSame(runs[0], runs[1]);
  ASSERT_EQ(runs[0].size(), 50U);
  for (int i = 0; i < 50; ++i) {
    const Frame& frame = runs[0][static_cast<std::size_t>(i)];
    EXPECT_EQ(test::frameOf(frame.picture), i);
    EXPECT_EQ(frame.taken.utcMs, 50 * i);
    EXPECT_EQ(frame.taken.steadyMs, 50 * i);
  }
}

TEST(CaptureReplay, CountsTimeByItselfWhereTheFileTellsNone) {
  Script script;
  script.live = false;
  script.paceMs = 40;
  script.read = [](int, int frame, Shot& shot) {
    if (frame >= 6) return ReadStatus::ended;
    shot.picture = test::numbered(frame);
    if (frame == 3) shot.positionMs = 500;  // then it goes on from there
    if (frame == 4) shot.positionMs = 500;  // and stands still
    return ReadStatus::frame;
  };
  const Stage stage(script);
  Capture capture("file", stage.maker(), replay());
  std::vector<std::int64_t> times;
  for (const Frame& frame : all(capture)) times.push_back(frame.taken.utcMs);
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 40, 80, 500, 540, 580}));
}

TEST(CaptureReplay, WaitsUntilAFrameWasTaken) {
  Script script;
  script.live = false;
  script.read = [](int, int frame, Shot& shot) {
    shot.picture = test::numbered(frame);
    return ReadStatus::frame;
  };
  const Stage stage(script);
  Capture capture("file", stage.maker(), replay());
  ASSERT_TRUE(eventually([&] { return capture.status().frames == 1; }));
  EXPECT_EQ(capture.status().state, CaptureState::live);
  for (int i = 0; i < 500; ++i) {
    EXPECT_LE(capture.status().frames, static_cast<std::uint64_t>(i) + 1);
    EXPECT_EQ(test::numberOf(capture.next(kLong)->picture), i);
  }
  EXPECT_EQ(capture.status().drops, 0U);
}

TEST(CaptureReplay, EndsWithAFailureInsteadOfBeginningAgain) {
  const test::Folder folder;
  Capture missing(parseSourceAddress(folder.at("missing.avi")), replay());
  ASSERT_TRUE(eventually([&] { return missing.status().state == CaptureState::ended; }));
  EXPECT_NE(missing.status().fault.find("there is no file"), std::string::npos);

  Script script;
  script.live = false;
  script.read = [](int, int frame, Shot& shot) {
    if (frame == 3) return ReadStatus::failed;
    shot.picture = test::numbered(frame);
    return ReadStatus::frame;
  };
  const Stage stage(script);
  Capture broken("file", stage.maker(), replay());
  EXPECT_EQ(all(broken).size(), 3U);
  EXPECT_EQ(broken.status().state, CaptureState::ended);
  EXPECT_EQ(broken.status().fault, "the script says so");
  EXPECT_EQ(stage.made(), 1);
}

}  // namespace
}  // namespace mpm::monitor
