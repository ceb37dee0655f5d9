// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "merge/match.h"
#include "random_rows.h"
#include "tolerances.h"

namespace mpm::test {

/// How far a similarity may be off, and how far apart two must be to be told apart.
struct MatchTolerance {
  double similarity = kSimilarity, gap = kClearGap;
};

/// Of every ten rows so many have to be compared, or a test says little: the others have two best
/// rows that are too near each other.
constexpr double kMostRows = 0.9;

inline std::vector<merge::ReferenceMatch> matchByReference(ConstRows rows,
                                                           const merge::Scope& scope) {
  std::vector<merge::ReferenceMatch> best(rows.count);
  merge::matchReference(rows, scope, best.data());
  return best;
}

inline bool isClear(const merge::ReferenceMatch& match, double gap = kClearGap) {
  return match.row == merge::kNoMatch || match.similarity - match.runnerUp > gap;
}

/// `actual` has the reference's similarities and, wherever its choice is clear, its rows. The
/// choice is clear for the share `least` of the rows.
inline void expectSameWhereClear(ConstRows rows, const merge::Scope& scope,
                                 const std::vector<merge::Match>& actual, double least,
                                 const MatchTolerance& tolerance = {}) {
  const auto expected = matchByReference(rows, scope);
  std::size_t clear = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (expected[i].row != merge::kNoMatch) {
      EXPECT_NEAR(actual[i].similarity, expected[i].similarity, tolerance.similarity)
          << "row " << i;
    }
    if (!isClear(expected[i], tolerance.gap)) continue;
    ++clear;
    EXPECT_EQ(actual[i].row, expected[i].row) << "row " << i;
  }
  EXPECT_GE(static_cast<double>(clear), least * static_cast<double>(rows.count))
      << "rows with a clear match, of " << rows.count;
}

/// Each row at its place in a grid, with a window.
inline merge::Scope gridScope(int height, int width, int window) {
  merge::Scope scope;
  scope.window = window;
  for (int i = 0; i < height * width; ++i) {
    scope.y.push_back(i / width);
    scope.x.push_back(i % width);
  }
  return scope;
}

/// Labels by chance, some of them negative.
inline void addRegions(merge::Scope& scope, std::size_t rows, int labels, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    scope.region.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(labels)) - 2);
  }
}

}  // namespace mpm::test
