// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <opencv2/core.hpp>
#include <set>
#include <string>
#include <vector>

#include "evaluate/journal.h"
#include "evaluate/pairs.h"
#include "evaluate/truth.h"
#include "mpm/schedule.h"
#include "mpm/segmenter.h"

namespace mpm::evaluate {

/// What a model made of a photo, merging by one schedule.
struct Outcome {
  cv::Mat labels;         ///< CV_8U or CV_16U, of the photo's size
  std::vector<int> rows;  ///< before all merges and behind each; sums over the windows
  int windows = 1;
  double networkMs = 0, ms = 0;
};

/// Segments a photo, BGR.
using RunSchedule = std::function<Outcome(const Schedule&, const cv::Mat& photo)>;

/// What decides what is found out about a picture.
struct Measure {
  Classes classes;
  std::vector<Schedule> schedules;
  int edgeDistance = 3;  ///< how near to an edge pixels count apart
  /// Every so-many-th picture is compared with full tokens, where they are one of the schedules
  /// beside others, and tells the noise floor for an input of this size; 0: none is.
  std::size_t compareEvery = 0;
  cv::Size input;
  /// Makes of each photo, and its index, the one that is segmented. May be empty.
  std::function<cv::Mat(const cv::Mat&, std::size_t)> before;
};

/// Reads a pair and runs every schedule on it, in an order that begins elsewhere for each picture,
/// so that none is always the one that finds cold memory. What is wrong with the files is the
/// record's fault; anything else is thrown.
PictureRecord measurePicture(const Pair& pair, std::size_t index, const Measure& measure,
                             const RunSchedule& run);

/// Which file of a pair is not what it was when its record was made, one without a fault; empty
/// where both are.
std::string changedFile(const PictureRecord& record, const Pair& pair);

/// A segmenter as what runs schedules. It has to outlive the result; its schedule is the last one
/// that was run.
RunSchedule runnerOf(Segmenter& segmenter);

/// How far apart pictures are that are compared with full tokens: a tenth of them, at least eight.
std::size_t compareEvery(std::size_t pictures);

/// Measures the pictures, one after the other, but those in `done`. `keep` is given each
/// one's record; `progress` is told which share of this call's pictures is done, from 0 to 1.
void measurePictures(const std::vector<Pair>& pairs, const Measure& measure, const RunSchedule& run,
                     const std::set<std::size_t>& done,
                     const std::function<void(const PictureRecord&)>& keep,
                     const std::function<void(double)>& progress);

/// So many of the pairs, spread over all, the middle of each part; all of them where there are no
/// more, or where `count` is 0.
std::vector<Pair> spreadPairs(const std::vector<Pair>& pairs, std::size_t count);

}  // namespace mpm::evaluate
