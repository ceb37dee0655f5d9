// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "merge/clear_matches.h"
#include "merge/match.h"

namespace mpm::test {

inline std::vector<merge::Match> matchOnCpu(ConstRows rows, const merge::Scope& scope) {
  std::vector<merge::Match> best(rows.count);
  merge::MatchScratch scratch;
  merge::matchCpu(rows, scope, scratch, best.data());
  return best;
}

inline void expectSameWhereClear(const OwnedRows& rows, const merge::Scope& scope = {},
                                 double least = kMostRows) {
  expectSameWhereClear(rows.view(), scope, matchOnCpu(rows.view(), scope), least);
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
