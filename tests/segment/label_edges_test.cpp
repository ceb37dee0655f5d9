// SPDX-License-Identifier: Apache-2.0
// Ties, and scores that are no numbers.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "segment/labels.h"
#include "segment/random_scores.h"

namespace mpm::test {
namespace {

using segment::Labeller;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kClasses = 20, kWidth = 64, kHeight = 48;

// 4 x 3 places: cells of 16 pixels.
OwnedScores scores(std::uint32_t seed = 3) {
  return randomScores({kClasses, 4, 3, 0}, kWidth, kHeight, 1, seed);
}

// Two classes that are the same everywhere, and mostly the best.
TEST(LabelEdges, OfEqualClassesTheLowestWins) {
  OwnedScores owned = scores();
  for (std::size_t row = 0; row < 12; ++row) {
    float* values = &owned.values[0][row * kClasses];
    values[7] += 2;
    values[18] = values[7];
  }
  OwnedLabels found(kWidth, kHeight, kClasses);
  Labeller().label(owned.scores, found.image);
  const std::set<int> labels(found.labels8.begin(), found.labels8.end());
  EXPECT_TRUE(labels.count(7) == 1);
  EXPECT_TRUE(labels.count(18) == 0);
  for (const float confidence : found.confidence) EXPECT_LE(confidence, 0.7);
  expectLikeReference(owned, kWidth, kHeight);
}

TEST(LabelEdges, WhereAllAreEqualTheLabelIsZero) {
  OwnedScores owned = scores();
  for (float& value : owned.values[0]) value = 2.5F;
  OwnedLabels found(kWidth, kHeight, kClasses);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels8, std::vector<std::uint8_t>(kWidth * kHeight, 0));
  for (const float confidence : found.confidence) EXPECT_NEAR(confidence, 1.0 / kClasses, 1e-4);
}

TEST(LabelEdges, AClassThatIsNoNumberDoesNotCountBesideThatPlace) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    SCOPED_TRACE(bad);
    OwnedScores owned = scores();
    for (std::size_t row = 0; row < 12; ++row) owned.values[0][row * kClasses + 11] = 9;
    owned.values[0][5 * kClasses + 11] = bad;  // the place in row 1, column 1
    OwnedLabels found(kWidth, kHeight, kClasses);
    Labeller().label(owned.scores, found.image);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        // Its pixels lie between the centres of the places around it.
        const bool isBeside = x >= 8 && x < 40 && y >= 8 && y < 40;
        ASSERT_EQ(found.labels8[y * kWidth + x] != 11, isBeside) << y << ", " << x;
      }
    }
    expectLikeReference(owned, kWidth, kHeight);
  }
}

TEST(LabelEdges, WhereNoClassIsANumberThereIsNoConfidence) {
  OwnedScores owned = scores();
  for (float& value : owned.values[0]) value = kNan;
  OwnedLabels found(kWidth, kHeight, kClasses);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels8, std::vector<std::uint8_t>(kWidth * kHeight, 0));
  EXPECT_EQ(found.confidence, std::vector<float>(kWidth * kHeight, 0));
  expectLikeReference(owned, kWidth, kHeight);
}

TEST(LabelEdges, OneClassIsCertain) {
  const OwnedScores owned = randomScores({1, 4, 3, 0}, kWidth, kHeight, 1, 3);
  OwnedLabels found(kWidth, kHeight, 1);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels8, std::vector<std::uint8_t>(kWidth * kHeight, 0));
  EXPECT_EQ(found.confidence, std::vector<float>(kWidth * kHeight, 1));
}

TEST(LabelEdges, ClassesBeyondAByte) {
  OwnedScores owned = randomScores({300, 4, 3, 0}, kWidth, kHeight, 1, 3);
  for (std::size_t row = 0; row < 12; ++row) owned.values[0][row * 300 + 299] = 20;
  OwnedLabels found(kWidth, kHeight, 300);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels16, std::vector<std::uint16_t>(kWidth * kHeight, 299));
}

}  // namespace
}  // namespace mpm::test
