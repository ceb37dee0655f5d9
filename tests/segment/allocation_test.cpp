// SPDX-License-Identifier: Apache-2.0
// After the first frames the kernels take no memory: frames follow each other for weeks.
#include <gtest/gtest.h>

#include "counted_new.h"
#include "segment/prepare.h"
#include "segment/random_scores.h"

namespace mpm::test {
namespace {

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
