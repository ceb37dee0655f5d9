// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <vector>

#include "torch/net_oracle.h"

namespace mpm::test {

/// Two best similarities closer than this may be told apart either way by a net in float32.
constexpr double kNetGap = 1e-5;
/// Scores of a whole net in float32, relative to the largest.
constexpr double kNetScores = 1e-3;

/// Whether every row of every merge has one best partner, by more than kNetGap.
bool areClear(const std::vector<MergeStage>& merges);

/// Whether a map [N] is the oracle's, given its merges of that image. Where they are clear, equal.
/// Else, of the first merge that is not: tokens whose row and its partner are clear have to stay
/// together there, and where it is the last merge, with nobody else. All that comes behind it
/// follows from rows that may be others.
testing::AssertionResult mapAgrees(const std::vector<MergeStage>& merges, const at::Tensor& map);

/// The largest difference, relative to the largest of `expected`. Infinite where the shapes differ
/// or anything is not finite.
double relativeError(const at::Tensor& values, const at::Tensor& expected);

}  // namespace mpm::test
