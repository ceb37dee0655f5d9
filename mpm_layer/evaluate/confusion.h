// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "mpm/export.h"

namespace mpm::evaluate {

/// So many pixels of one class that a model took for a class.
struct Count {
  std::uint32_t truth = 0, found = 0;
  std::uint64_t pixels = 0;

  bool operator==(const Count&) const = default;
};

/// Which classes were taken for which, counted exactly: sums of matrices are the matrix of all
/// their pictures, in whatever order and by whomever they were counted.
class MPM_API Confusion {
 public:
  explicit Confusion(std::size_t classes) : classes_(classes), pixels_(classes * classes, 0) {}

  /// Counts the pixels of a picture that have a true class, those outside `mask` left out.
  /// `truth`: CV_16U, LabelRule's classes. `found`: CV_8U or CV_16U, below `classes`. `mask`:
  /// CV_8U, or empty. All of one size.
  void add(const cv::Mat& truth, const cv::Mat& found, const cv::Mat& mask = {});
  void add(const Count& count);

  std::size_t classes() const { return classes_; }
  std::uint64_t at(std::size_t truth, std::size_t found) const;
  std::vector<Count> counts() const;  ///< all but zeros, by truth, then by found

 private:
  std::size_t classes_;
  std::vector<std::uint64_t> pixels_;
};

/// What a matrix says. A class that neither truth nor model has anywhere has no IoU, one that truth
/// has not no accuracy: these are NaN and no part of a mean. A mean of nothing is NaN. These are
/// the rules of mmsegmentation's mean_iou, and so of the published figures.
struct Quality {
  std::vector<double> iou, accuracy;  ///< of each class
  std::vector<std::uint64_t> pixels;  ///< that truly are of the class
  double meanIou = 0, meanAccuracy = 0;
  double pixelAccuracy = 0;  ///< share of all pixels whose class was found
};
MPM_API Quality qualityOf(const Confusion& confusion);

/// The mean of the values that are not NaN.
MPM_API double meanOf(const std::vector<double>& values);

}  // namespace mpm::evaluate
