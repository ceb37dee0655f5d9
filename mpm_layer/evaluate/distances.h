// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <opencv2/core.hpp>

/// How far apart the tokens are that a merge makes one of.
namespace mpm::evaluate {

/// How many pairs lie how far apart: distances in thousandths of a patch, rounded. Counts are
/// exact, so that sums over pictures are too.
using Distances = std::map<std::int32_t, std::uint64_t>;

/// The pairs of one merge, Euclidean, between the centres of the tokens that it made one of. A
/// token's centre is the mean of its patches' centres. Maps give each patch of a grid its live
/// token: CV_32S, `before` the merge (empty: every patch is a token) and behind it.
/// std::invalid_argument where no single merge leads from one to the other.
Distances pairDistances(const cv::Mat& before, const cv::Mat& after);

/// All pairs of patches of a grid: what a merge that pairs at random would have, on average.
Distances randomDistances(const cv::Size& grid);

std::uint64_t pairsOf(const Distances& distances);
/// The share of pairs that are at most so many patches apart; of none NaN.
double shareWithin(const Distances& distances, double patches);
double meanDistance(const Distances& distances);    ///< in patches; of none NaN
double medianDistance(const Distances& distances);  ///< the lower one of an even count

}  // namespace mpm::evaluate
