// SPDX-License-Identifier: Apache-2.0
// Memory that cannot be had: the frame fails with an exception, whichever allocation it was, and
// the next one is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>

#include "counted_new.h"
#include "mpm/segmenter.h"
#include "mpm/threads.h"
#include "segment/model_frames.h"

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

}  // namespace
}  // namespace mpm::test
