// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "mpm/export.h"

namespace mpm::evaluate {

/// Number of pixels of one class that a model took for a class.
struct Count {
  std::uint32_t truth = 0, found = 0;
  std::uint64_t pixels = 0;

  bool operator==(const Count&) const = default;
};

/// Counts exactly which classes were taken for which. A sum of matrices is the matrix of all their
/// pictures, whatever the order and whoever counted.
class MPM_API Confusion {
 public:
  explicit Confusion(std::size_t classes) : classes_(classes), pixels_(classes * classes, 0) {}

  /// Counts the pixels of a picture that have a true class and lie in `mask`. `truth` is CV_16U
  /// with LabelRule's classes; `found` is CV_8U or CV_16U, below `classes`. `mask` is CV_8U or
  /// empty. All have one size.
  void add(const cv::Mat& truth, const cv::Mat& found, const cv::Mat& mask = {});
  void add(const Count& count);

  std::size_t classes() const { return classes_; }
  std::uint64_t at(std::size_t truth, std::size_t found) const;
  std::vector<Count> counts() const;  ///< all but zeros, by truth, then by found

 private:
  std::size_t classes_;
  std::vector<std::uint64_t> pixels_;
};

/// Figures of a matrix. A class that neither truth nor model has gets a NaN IoU; one that truth
/// lacks gets a NaN accuracy. A mean leaves out NaN; a mean of nothing is NaN. These are the rules
/// of mmsegmentation's mean_iou, and so of published figures.
struct Quality {
  std::vector<double> iou, accuracy;  ///< of each class
  std::vector<std::uint64_t> pixels;  ///< that truly are of the class
  double meanIou = 0, meanAccuracy = 0;
  double pixelAccuracy = 0;  ///< share of all pixels whose class was found
};
MPM_API Quality qualityOf(const Confusion& confusion);

/// Averages the values that are not NaN.
MPM_API double meanOf(const std::vector<double>& values);

}  // namespace mpm::evaluate
