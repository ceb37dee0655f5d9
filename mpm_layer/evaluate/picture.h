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

/// Segments a photo, BGR.
using RunSchedule = std::function<Segmentation(const Schedule&, const cv::Mat& photo)>;

/// Settings for measuring a picture.
struct Measure {
  Classes classes;
  std::vector<Schedule> schedules;
  int edgeDistance = 3;  ///< how near to an edge pixels count apart
  /// Compares every so-many-th picture with the unmerged run, if that is one of several schedules.
  /// Also measures the noise floor for an input of this size. 0 compares none.
  std::size_t compareEvery = 0;
  cv::Size input;
  /// Transforms each photo, given its index, before it is segmented. May be empty.
  std::function<cv::Mat(const cv::Mat&, std::size_t)> before;
};

/// Reads a pair and runs every schedule on it. The order starts elsewhere for each picture, so that
/// no schedule always finds cold memory. Errors of the files go into the record; others are thrown.
PictureRecord measurePicture(const Pair& pair, std::size_t index, const Measure& measure,
                             const RunSchedule& run);

/// Returns which file of a pair changed since its record was made; empty if neither did. The record
/// must have no error.
std::string changedFile(const PictureRecord& record, const Pair& pair);

/// Returns the distance of pictures to compare: a tenth of them is compared, but at least eight.
std::size_t compareEvery(std::size_t pictures);

/// Measures the pictures that are not in `done`, one after the other. `keep` receives each record,
/// and `progress` the share of this call's pictures that is done, from 0 to 1.
void measurePictures(const std::vector<Pair>& pairs, const Measure& measure, const RunSchedule& run,
                     const std::set<std::size_t>& done,
                     const std::function<void(const PictureRecord&)>& keep,
                     const std::function<void(double)>& progress);

/// Selects `count` pairs spread over all, the middle of each part. Selects all if there are no
/// more, or if `count` is 0.
std::vector<Pair> spreadPairs(const std::vector<Pair>& pairs, std::size_t count);

}  // namespace mpm::evaluate
