// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every tolerance of the tests, with its reason.
namespace mpm::test {

/// Two best similarities further apart than this are told apart by every implementation.
constexpr double kClearGap = 1e-6;
/// A float32 similarity of unit rows: half of kClearGap, or two errors could swap a clear best.
constexpr double kSimilarity = 5e-7;
/// 1/|x| in double, whatever the order of the sum.
constexpr double kInverseNorm = 1e-14;
/// A merged row, relative to its largest value.
constexpr double kMergedRow = 1e-6;

}  // namespace mpm::test
