// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "merge/match.h"
#include "merge/match_scratch.h"
#include "random_rows.h"
#include "tolerances.h"

namespace mpm::test {

inline std::vector<merge::Match> matchOnCpu(ConstRows rows, const merge::Scope& scope) {
  std::vector<merge::Match> best(rows.count);
  merge::MatchScratch scratch;
  merge::matchCpu(rows, scope, scratch, best.data());
  return best;
}

inline std::vector<merge::ReferenceMatch> matchByReference(ConstRows rows,
                                                           const merge::Scope& scope) {
  std::vector<merge::ReferenceMatch> best(rows.count);
  merge::matchReference(rows, scope, best.data());
  return best;
}

/// Compares a matching with the reference wherever the reference's choice is clear; returns
/// the share of rows where it was.
inline double expectSameWhereClear(const OwnedRows& rows, const merge::Scope& scope = {}) {
  const auto expected = matchByReference(rows.view(), scope);
  const auto actual = matchOnCpu(rows.view(), scope);
  std::size_t clear = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (expected[i].row == merge::kNoMatch) {
      EXPECT_EQ(actual[i].row, merge::kNoMatch) << "row " << i;
      continue;
    }
    EXPECT_NEAR(actual[i].similarity, expected[i].similarity, kSimilarity) << "row " << i;
    if (expected[i].similarity - expected[i].runnerUp <= kClearGap) continue;
    ++clear;
    EXPECT_EQ(actual[i].row, expected[i].row) << "row " << i;
  }
  return rows.count == 0 ? 1 : static_cast<double>(clear) / static_cast<double>(rows.count);
}

/// For rows whose similarities are exact: the same match everywhere, ties included.
inline void expectSameEverywhere(const OwnedRows& rows, const merge::Scope& scope = {}) {
  const auto expected = matchByReference(rows.view(), scope);
  const auto actual = matchOnCpu(rows.view(), scope);
  for (std::size_t i = 0; i < rows.count; ++i) {
    ASSERT_EQ(actual[i].row, expected[i].row) << "row " << i;
  }
}

}  // namespace mpm::test
