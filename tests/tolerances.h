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

// Of the network's arithmetic, each of max(1, |expected|):
/// One operation summed in float32 against the reference, over at most a few thousand terms.
constexpr double kVitOperation = 1e-5;
/// A GELU in float32; what its contract promises.
constexpr double kVitGelu = 5e-7;
/// A block or a decoder in float32: several operations, and norms that magnify.
constexpr double kVitNetwork = 1e-4;
/// A reference against float64 throughout: it sums in double, and rounds each result to float32.
constexpr double kVitReference = 1e-5;

}  // namespace mpm::test
