// SPDX-License-Identifier: Apache-2.0
// Memory that cannot be had: the frame fails with an exception, whichever allocation it was, and
// the next one is right. And memory that is not asked for: after the first frames the kernels take
// none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "counted_new.h"
#include "mpm/segmenter.h"
#include "mpm/threads.h"
#include "segment/model_frames.h"
#include "segment/prepare.h"
#include "segment/random_scores.h"

namespace mpm::test {
namespace {

// Whether `work` threw where its allocation number `at`, from 0, failed; false where it has fewer.
template <class Work>
bool failsAt(long at, const Work& work) {
  bool threw = false;
  untilFault = at;
  try {
    work();
  } catch (const std::exception&) {
    threw = true;
  }
  const bool failed = untilFault.exchange(-1) < 0;
  EXPECT_TRUE(failed || !threw) << "allocation " << at;
  return failed;
}

void expectSame(const Segmentation& found, const Segmentation& expected, long at) {
  ASSERT_EQ(found.labels.size(), expected.labels.size()) << "allocation " << at;
  EXPECT_EQ(cv::norm(found.labels, expected.labels, cv::NORM_INF), 0) << "allocation " << at;
  EXPECT_EQ(cv::norm(found.confidence, expected.confidence, cv::NORM_INF), 0)
      << "allocation " << at;
}

class NoMemory : public testing::Test {
 protected:
  void TearDown() override {
    untilFault = -1;
    setThreads(0);
  }
};

// A frame in full, one of a few patches, and one whose threads have no scratch memory yet.
TEST_F(NoMemory, AFrameFailsAndTheNextIsRight) {
  setThreads(2);
  const cv::Mat first = randomFrame({64, 48}, 5), next = [&] {
    cv::Mat frame = first.clone();
    frame(cv::Rect(20, 20, 8, 8)) = cv::Scalar(30, 200, 250);
    return frame;
  }();
  Segmenter without(modelPath("segmenter_mask"));
  const Segmentation expected = without.segment(next);
  for (const bool isRemembered : {false, true}) {
    long at = 0, faults = 0;
    for (bool more = true; more; at += 1 + at / 16) {
      Segmenter with(modelPath("segmenter_mask"));
      SceneMemory memory;
      if (isRemembered) with.segment(first, memory);
      more = failsAt(at, [&] { with.segment(next, memory); });
      faults += more ? 1 : 0;
      memory.forget();
      expectSame(with.segment(next, memory), expected, at);
    }
    EXPECT_GT(faults, 10);
  }
}

// Without a word to the memory: what failed half way is not taken for what is remembered.
TEST_F(NoMemory, NothingOfTheFrameThatFailedIsRemembered) {
  setThreads(2);
  Segmenter with(modelPath("segmenter_mask")), without(modelPath("segmenter_mask"));
  const cv::Mat first = randomFrame({64, 48}, 5), next = randomFrame({64, 48}, 6);
  const Segmentation expected = without.segment(next);
  SceneMemory memory;
  with.segment(first, memory);
  long at = 0, thrown = 0;
  for (bool more = true; more; at += 1 + at / 16) {
    bool threw = false;
    more = failsAt(at, [&] {
      try {
        with.segment(next, memory);
      } catch (...) {
        threw = true;
        throw;
      }
    });
    const Segmentation found = with.segment(next, memory);
    if (threw) {  // else it was remembered
      ++thrown;
      EXPECT_EQ(found.memory.fresh, found.memory.rows) << "allocation " << at;
      expectSame(found, expected, at);
    }
    memory.forget();
    with.segment(first, memory);
  }
  EXPECT_GT(thrown, 10);
}

// What is kept from frame to frame is not taken for whole.
TEST_F(NoMemory, PreparingOrLabellingFailsAndTheNextTimeIsRight) {
  setThreads(2);
  constexpr int kWidth = 120, kHeight = 90;
  const std::vector<std::uint8_t> pixels(3 * kWidth * kHeight, 77);
  const OwnedScores rows = randomScores({30, 8, 6, 20}, kWidth, kHeight, 2, 4);
  const auto prepared = [&](segment::Preparer& preparer) {
    std::vector<float> planes(3 * 64 * 48);
    preparer.prepare({pixels.data(), 3 * kWidth, kWidth, kHeight, 3}, {64, 48, 0, 0, 64, 48}, {},
                     planes.data());
    return planes;
  };
  const auto labelled = [&](segment::Labeller& labeller) {
    OwnedLabels labels(kWidth, kHeight, 30);
    labeller.label(rows.scores, labels.image);
    return std::pair(labels.labels8, labels.confidence);
  };
  segment::Preparer soundPreparer;
  segment::Labeller soundLabeller;
  const auto planes = prepared(soundPreparer);
  const auto labels = labelled(soundLabeller);
  for (const bool isLabelled : {false, true}) {
    long at = 0;
    for (bool more = true; more; ++at) {
      segment::Preparer preparer;
      segment::Labeller labeller;
      more = failsAt(at, [&] {
        if (isLabelled) {
          labelled(labeller);
        } else {
          prepared(preparer);
        }
      });
      EXPECT_EQ(prepared(preparer), planes) << at;
      EXPECT_EQ(labelled(labeller), labels) << at;
    }
    EXPECT_GT(at, 3);
  }
}

// Frames follow each other for weeks.
TEST(SegmentAllocation, NoneAfterTheFirstFrames) {
  constexpr int kWidth = 120, kHeight = 90;
  const std::vector<std::uint8_t> pixels(3 * kWidth * kHeight, 77);
  std::vector<float> planes(3 * 64 * 48);
  const OwnedScores rows = randomScores({30, 8, 6, 20}, kWidth, kHeight, 2, 4);
  const OwnedScores planar =
      randomScores({30, 8, 6, 0, segment::ScoreGrid::Layout::planes}, kWidth, kHeight, 2, 4);
  OwnedLabels labels(kWidth, kHeight, 30);
  segment::Preparer preparer;
  segment::Labeller labeller;
  long before = 0;
  for (int frame = 0; frame < 20; ++frame) {
    if (frame == 8) before = allocations;
    preparer.prepare({pixels.data(), 3 * kWidth, kWidth, kHeight, 3}, {64, 48, 0, 0, 64, 48}, {},
                     planes.data());
    labeller.label(frame % 2 == 0 ? rows.scores : planar.scores, labels.image);
  }
  EXPECT_GT(before, 0);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace mpm::test
