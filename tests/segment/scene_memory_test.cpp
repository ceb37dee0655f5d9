// SPDX-License-Identifier: Apache-2.0
// A Segmenter with a memory beside one without.
#include <gtest/gtest.h>

#include <atomic>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "in_project.h"
#include "models/scenes/camera.h"
#include "mpm/segmenter.h"
#include "mpm/threads.h"
#include "segment/model_frames.h"

namespace mpm::test {
namespace {

constexpr int kPatches = 48;  // of segmenter_mask, 8 x 6 of 8 pixels

void expectFull(const Segmentation& found, Segmenter& without, const cv::Mat& frame) {
  const Segmentation expected = without.segment(frame);
  EXPECT_EQ(found.memory.fresh, found.memory.rows);
  EXPECT_EQ(found.memory.age, 0);
  EXPECT_TRUE(isSame(found.labels, expected.labels));
  EXPECT_TRUE(isSame(found.confidence, expected.confidence));
  EXPECT_TRUE(isSame(found.mergeMap, expected.mergeMap));
  EXPECT_EQ(found.rows, expected.rows);
}

// No patch of one of them looks like one of the next.
cv::Mat anotherPicture(const cv::Size& size, std::uint64_t seed) {
  return randomFrame(size, seed) / 4 + cv::Scalar::all(seed % 2 == 0 ? 0 : 190);
}

SegmenterOptions scheduled(const Schedule& schedule) {
  SegmenterOptions options;
  options.read.schedule = schedule;
  return options;
}

// Something passes from left to right over a picture that stands still.
std::vector<cv::Mat> passing(int frames) {
  std::vector<cv::Mat> all;
  for (int i = 0; i < frames; ++i) {
    all.push_back(randomFrame({64, 48}, 5));
    cv::rectangle(all.back(), {4 * i % 56, 20, 8, 8}, {30, 200, 250}, cv::FILLED);
  }
  return all;
}

TEST(SceneMemory, AFullFrameIsToTheBitThatOfNoMemory) {
  for (const Schedule& schedule : {Schedule(), Schedule({2, 5})}) {
    Segmenter with(modelPath("segmenter_mask"), scheduled(schedule));
    Segmenter without(modelPath("segmenter_mask"), scheduled(schedule));
    ASSERT_EQ(with.memoryFault(), "");
    SceneMemory memory;
    EXPECT_EQ(memory.bytes(), 0U);
    for (const std::uint64_t seed : {1, 2, 3}) {  // everything is another picture each time
      const cv::Mat frame = anotherPicture({64, 48}, seed);
      expectFull(with.segment(frame, memory), without, frame);
    }
    EXPECT_GT(memory.bytes(), 10000U);
    const cv::Mat frame = randomFrame({64, 48}, 4);
    EXPECT_TRUE(isSame(with.segment(frame).labels, without.segment(frame).labels));
  }
}

TEST(SceneMemory, WhatStandsStillIsNotComputedAndNothingGetsOld) {
  Segmenter segmenter(modelPath("segmenter_mask"), scheduled({}));
  SceneMemory memory;
  const cv::Mat frame = randomFrame({64, 48}, 5);
  const Segmentation full = segmenter.segment(frame, memory);
  int computed = 0, oldest = 0;
  for (int i = 1; i <= 3 * SceneMemory::kOldest; ++i) {
    const Segmentation found = segmenter.segment(frame, memory);
    ASSERT_EQ(found.memory.rows, kPatches);
    ASSERT_GT(found.memory.fresh, 0) << "frame " << i;
    computed += found.memory.fresh;
    oldest = std::max(oldest, found.memory.age);
    ASSERT_TRUE(isSame(found.labels, full.labels)) << "frame " << i;
    EXPECT_EQ(found.memory.agreement.value_or(1), 1);
    EXPECT_EQ(found.mergeMap.empty(), found.memory.fresh < kPatches);
    for (const int rows : found.rows) EXPECT_EQ(rows, 1 + found.memory.fresh) << "frame " << i;
  }
  EXPECT_LE(oldest, SceneMemory::kOldest);
  EXPECT_GE(oldest, SceneMemory::kOldest / 4);
  EXPECT_LT(computed, 3 * SceneMemory::kOldest * kPatches / 4);
}

// Patches that share a token in a full frame are computed one by one soon, not at their bound.
TEST(SceneMemory, WhatMergingBlurredIsSoonMadeGood) {
  Segmenter segmenter(modelPath("segmenter_mask"), scheduled({2, 5}));
  SceneMemory memory;
  const cv::Mat frame = randomFrame({64, 48}, 5);
  const Segmentation full = segmenter.segment(frame, memory);
  std::vector<int> together(kPatches, 0);
  for (int i = 0; i < kPatches; ++i) ++together[full.mergeMap.at<int>(i / 8, i % 8)];
  int merged = 0, computed = 0, later = 0;
  for (const int count : together) merged += count > 1 ? count : 0;
  ASSERT_GT(merged, 4);
  constexpr int kSoon = SceneMemory::kOldest / 3;
  for (int i = 0; i < kSoon; ++i) computed += segmenter.segment(frame, memory).memory.fresh;
  for (int i = 0; i < kSoon; ++i) later += segmenter.segment(frame, memory).memory.fresh;
  EXPECT_GE(computed, merged);
  EXPECT_LT(later, computed);
}

TEST(SceneMemory, NowAndThenAFrameIsComputedInFullToCompare) {
  Segmenter with(modelPath("segmenter_mask"), scheduled({}));
  Segmenter without(modelPath("segmenter_mask"), scheduled({}));
  SceneMemory memory;
  const cv::Mat one = anotherPicture({64, 48}, 7);
  cv::Mat other = one.clone();
  cv::Mat(anotherPicture({64, 48}, 8), {0, 0, 64, 16}).copyTo(other(cv::Rect(0, 0, 64, 16)));
  int audits = 0;
  constexpr int kFrames = 350;
  cv::Mat before;
  for (int i = 0; i < kFrames; ++i) {
    const cv::Mat& frame = i % 2 == 0 ? one : other;
    const Segmentation found = with.segment(frame, memory);
    const cv::Mat labels = std::exchange(before, found.labels);
    const bool isFull = found.memory.fresh == kPatches;
    EXPECT_TRUE(isFull || !found.memory.agreement);
    if (!isFull || i == 0) continue;
    EXPECT_TRUE(isSame(found.mergeMap, without.segment(frame).mergeMap));
    const cv::Rect still(0, 28, 64, 20);  // no patch that it lies between has changed
    EXPECT_TRUE(found.memory.agreement.value_or(0) < 0.99 ||
                isSame(found.labels(still).clone(), labels(still).clone()))
        << "frame " << i;
    ++audits;
  }
  EXPECT_GE(audits, 1);
  EXPECT_LE(audits, kFrames / 25);
}

TEST(SceneMemory, AnAuditThatIsAskedForIsTheNextFrameAndAgesSayWhatWasComputed) {
  Segmenter segmenter(modelPath("segmenter_mask"), scheduled({2}));
  SceneMemory memory;
  memory.audit();  // of nothing: the first frame is full anyway
  const std::vector<cv::Mat> frames = passing(24);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i == 10) memory.audit();
    const Segmentation found = segmenter.segment(frames[i], memory);
    EXPECT_EQ(found.memory.fresh == kPatches, i == 0 || i == 10) << "frame " << i;
    ASSERT_EQ(static_cast<int>(found.patchAges.total()), kPatches);
    EXPECT_TRUE(i == 10 || kPatches - cv::countNonZero(found.patchAges) == found.memory.fresh);
    double oldest = 0;
    cv::minMaxIdx(found.patchAges, nullptr, &oldest);
    EXPECT_EQ(oldest, found.memory.age);
  }
  EXPECT_TRUE(segmenter.segment(frames[0]).patchAges.empty());
}

TEST(SceneMemory, ThreadsDoNotShow) {
  std::vector<Segmentation> results;
  for (const int threads : {1, 3}) {
    setThreads(threads);
    Segmenter segmenter(modelPath("segmenter_mask"));
    SceneMemory memory;
    for (const cv::Mat& frame : passing(8)) results.push_back(segmenter.segment(frame, memory));
  }
  setThreads(0);
  int remembered = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(results[i].memory.fresh, results[i + 8].memory.fresh);
    EXPECT_TRUE(isSame(results[i].labels, results[i + 8].labels));
    EXPECT_TRUE(isSame(results[i].confidence, results[i + 8].confidence));
    remembered += results[i].memory.rows - results[i].memory.fresh;
  }
  EXPECT_GT(remembered, 0);
}

TEST(SceneMemory, CamerasShareANetAndKeepTheirMemories) {
  Segmenter shared(modelPath("segmenter_mask")), alone(modelPath("segmenter_mask"));
  SceneMemory here, there, only;
  const std::vector<cv::Mat> frames = passing(6);
  for (const cv::Mat& frame : frames) {
    shared.segment(randomFrame({80, 60}, 9), there);
    EXPECT_TRUE(isSame(shared.segment(frame, here).labels, alone.segment(frame, only).labels));
  }
}

TEST(SceneMemory, ItForgetsWhatDoesNotHoldAnyMore) {
  Segmenter with(modelPath("segmenter_mask")), without(modelPath("segmenter_mask"));
  SceneMemory memory;
  const cv::Mat frame = anotherPicture({64, 48}, 5), larger = anotherPicture({128, 96}, 5);
  const auto settle = [&](const cv::Mat& on) {
    with.segment(on, memory);
    EXPECT_LT(with.segment(on, memory).memory.fresh, kPatches);
  };
  settle(frame);
  memory.forget();
  expectFull(with.segment(frame, memory), without, frame);
  settle(frame);
  expectFull(with.segment(larger, memory), without, larger);
  settle(larger);
  with.setSchedule({3});
  without.setSchedule({3});
  expectFull(with.segment(larger, memory), without, larger);
  settle(larger);
  EXPECT_THROW(with.segment(cv::Mat(4, 4, CV_32F), memory), std::invalid_argument);
  EXPECT_LT(with.segment(larger, memory).memory.fresh, kPatches);  // no frame, nothing happened
  const cv::Mat other = anotherPicture({128, 96}, 6);              // the camera was turned
  settle(larger);
  expectFull(with.segment(other, memory), without, other);
}

TEST(SceneMemory, AnotherSegmentersIsRefused) {
  Segmenter one(modelPath("segmenter_mask")), other(modelPath("segmenter_mask"));
  SceneMemory memory;
  const cv::Mat frame = randomFrame({64, 48}, 5);
  one.segment(frame, memory);
  EXPECT_THROW(other.segment(frame, memory), std::invalid_argument);
  EXPECT_EQ(one.segment(frame, memory).memory.rows, kPatches);
}

TEST(SceneMemory, WhereThereIsNoneFramesAreComputedInFull) {
  SegmenterOptions slide, early;
  slide.fit = Fit::slide;
  early.read.restore = Restore::early;
  const std::vector<std::pair<std::string, SegmenterOptions>> cases = {{"segmenter_mask", slide},
                                                                       {"segmenter_mask", early},
                                                                       {"setr_naive", {}},
                                                                       {"refused_cnn", {}}};
  for (const auto& [name, options] : cases) {
    SCOPED_TRACE(name);
    Segmenter with(modelPath(name), options), without(modelPath(name), options);
    EXPECT_NE(with.memoryFault(), "");
    SceneMemory memory;
    const cv::Mat frame = randomFrame({64, 48}, 5);
    for (int i = 0; i < 2; ++i) expectFull(with.segment(frame, memory), without, frame);
    EXPECT_EQ(memory.bytes(), 0U);
  }
}

// The picture of hours later, without a word, is a picture that changed.
TEST(SceneMemory, AnHoursGapShowsNothingOfTheHourBefore) {
  Segmenter with(modelPath("segmenter_mask"), scheduled({})),
      without(modelPath("segmenter_mask"), scheduled({}));
  SceneMemory memory;
  const cv::Mat before = randomFrame({64, 48}, 5);
  for (int i = 0; i < 3; ++i) with.segment(before, memory);
  const cv::Mat night = before / 5;
  expectFull(with.segment(night, memory), without, night);
}

// Each frame of two threads is right, or refused in a sentence.
TEST(SceneMemory, TwoThreadsOnOneAreRefused) {
  Segmenter segmenter(modelPath("segmenter_mask")), other(modelPath("segmenter_mask"));
  SceneMemory memory;
  const cv::Mat frame = randomFrame({64, 48}, 5);
  const Segmentation first = segmenter.segment(frame, memory);
  std::atomic<int> right = 0, refused = 0, wrong = 0;
  const auto run = [&](Segmenter& mine) {
    for (int i = 0; i < 50; ++i) {
      try {
        const Segmentation found = mine.segment(frame, memory);
        ++(found.memory.rows == kPatches && !found.labels.empty() ? right : wrong);
      } catch (const std::logic_error&) {
        ++refused;
      }
    }
  };
  const auto runWithout = [&] {
    for (int i = 0; i < 50; ++i) {
      try {
        ++(segmenter.segment(frame).labels.empty() ? wrong : right);
      } catch (const std::logic_error&) {
        ++refused;
      }
    }
  };
  std::thread one([&] { run(segmenter); }), two([&] { run(segmenter); }),
      three([&] { run(other); }), four(runWithout);
  one.join(), two.join(), three.join(), four.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(right, 0);
  EXPECT_GE(refused, 50);  // all of the other Segmenter's
  EXPECT_EQ(right + refused, 200);
  EXPECT_FALSE(segmenter.segment(frame, memory).labels.empty());
}

// A label that an unmerged run does not give, and is sure of its own, is shown for as long as the
// bound at most, whatever the camera does: counted are frames in a row with one wrong label at a
// pixel.
TEST(SceneMemory, NoWrongLabelIsFrozen) {
  Segmenter with(modelPath("segmenter_mask")), full(modelPath("segmenter_mask"), scheduled({}));
  for (const scenes::Trouble trouble :
       {scenes::Trouble::jpeg, scenes::Trouble::noise, scenes::Trouble::pumping,
        scenes::Trouble::gale, scenes::Trouble::nudged, scenes::Trouble::turned}) {
    SCOPED_TRACE(testing::Message() << "trouble " << static_cast<int>(trouble) << ", seed 3000101");
    scenes::CameraOptions options;
    options.seed = 3000101;
    options.size = {96, 72};
    options.trouble = trouble;
    scenes::Camera camera(options);
    SceneMemory memory;
    cv::Mat picture, truth, runs(72, 96, CV_32S, cv::Scalar(0));
    for (int frame = 0; frame < SceneMemory::kOldest + 24; ++frame) {
      camera.shoot(options.start + frame, picture, truth);
      const Segmentation found = with.segment(picture, memory), now = full.segment(picture);
      EXPECT_LE(found.memory.age, SceneMemory::kOldest);
      const cv::Mat wrong = (found.labels != now.labels) & (now.confidence > 0.8);
      runs += 1;
      runs.setTo(0, ~wrong);
    }
    double longest = 0;
    cv::minMaxLoc(runs, nullptr, &longest);
    EXPECT_LE(longest, SceneMemory::kOldest);
  }
}

// Seed 3000100 is a street that training never drew.
TEST(SceneMemory, OnADrawnStreetItSeesWhatMovesAsFullTokensDo) {
  Segmenter with(inProject("models/street.onnx"), scheduled({})),
      full(inProject("models/street.onnx"), scheduled({}));
  scenes::CameraOptions options;
  options.seed = 3000100;
  options.weather = scenes::WeatherKind::fair;
  scenes::Camera camera(options);
  SceneMemory memory;
  cv::Mat picture, truth;
  Segmentation found;
  for (int frame = 0; frame < 4; ++frame) {
    camera.shoot(options.start + frame, picture, truth);
    if (frame == 3) cv::rectangle(picture, {200, 300, 90, 60}, {40, 40, 200}, cv::FILLED);
    found = with.segment(picture, memory);
    EXPECT_TRUE(frame == 0 || found.memory.fresh < found.memory.rows / 2) << "frame " << frame;
  }
  const Segmentation expected = full.segment(picture);
  const cv::Mat differs = found.labels != expected.labels;
  EXPECT_LT(cv::countNonZero(differs), 0.02 * static_cast<double>(differs.total()));
  const cv::Mat there(differs, cv::Rect(200, 300, 90, 60));
  EXPECT_LT(cv::countNonZero(there), 0.1 * static_cast<double>(there.total()));
}

}  // namespace
}  // namespace mpm::test
