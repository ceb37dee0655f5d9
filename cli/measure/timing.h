// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <opencv2/dnn.hpp>
#include <vector>

#include "segment/forward_watch.h"

namespace mpm::cli {

/// How long to measure.
struct RoundCount {
  int wanted = 0;  ///< rounds; 0: as many as take `budgetMs`, but no fewer and no more than these
  double budgetMs = 15000;
  int least = 7, most = 101;
};

/// Runs things A, B, C, A, B, C, ...: what else the machine does meets all of them. `runMs(i)`
/// runs thing i once and gives its time; `onProgress` is told the share that is done, from 0 to 1.
/// Gives each thing's times, one for each round.
std::vector<std::vector<double>> measureInRounds(std::size_t things, const RoundCount& rounds,
                                                 const std::function<double(std::size_t)>& runMs,
                                                 const std::function<void(double)>& onProgress);

/// What many runs of one thing took.
struct Times {
  double medianMs = 0, p95Ms = 0, slowestMs = 0;
  double ratio = 0;  ///< to the reference: the median of the ratios within each round
};

/// `referenceMs`: the times of what it is compared with, in the same rounds.
Times summarise(const std::vector<double>& ms, const std::vector<double>& referenceMs);

/// What a frame's time goes to: the kinds of NetworkStep, a decoder being part of the head.
constexpr std::array<const char*, 6> kStepNames = {"patch_embed", "blocks", "merges",
                                                   "restore",     "head",   "rest"};

/// Of each step, in milliseconds.
using StepTimes = std::array<double, kStepNames.size()>;

/// Where the net's last forward spent its `frameMs`: by OpenCV's profile, and what that leaves over
/// is the rest.
StepTimes timesOfLastForward(segment::StepProfile& profile, cv::dnn::Net& net, double frameMs);

}  // namespace mpm::cli
