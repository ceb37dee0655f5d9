// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "merge/match.h"
#include "merge/steps.h"
#include "random_rows.h"
#include "tolerances.h"

namespace mpm::test {

/// One implementation of a merge's steps, called with one image's rows.
struct Implementation {
  const char* name;
  bool isDevice;     ///< or what stands in for one, on which large tables take minutes
  bool isBf16;       ///< holds rows and results as bfloat16
  double clearGap;   ///< similarities this far apart are told apart
  double tolerance;  ///< of a similarity
  OwnedRows (*hold)(const OwnedRows& rows);
  std::vector<merge::Match> (*match)(const OwnedRows& rows, const merge::Scope& scope);
  std::vector<double> (*inverseNorms)(const OwnedRows& rows);
  OwnedRows (*average)(const OwnedRows& rows, const std::vector<merge::Cluster>& clusters);
  OwnedRows (*restore)(const OwnedRows& live, const std::vector<std::int32_t>& map);
};

/// Those of this program; none where there is no device.
const std::vector<Implementation>& implementations();

inline std::string nameOf(const testing::TestParamInfo<Implementation>& info) {
  return info.param.name;
}

/// The share of ten rows that have to be compared, or a test says little: the others have two best
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
inline void expectSameWhereClear(const Implementation& given, ConstRows rows,
                                 const merge::Scope& scope, const std::vector<merge::Match>& actual,
                                 double least = kMostRows) {
  const auto expected = matchByReference(rows, scope);
  std::size_t clear = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (expected[i].row != merge::kNoMatch) {
      EXPECT_NEAR(actual[i].similarity, expected[i].similarity, given.tolerance) << "row " << i;
    }
    if (!isClear(expected[i], given.clearGap)) continue;
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
