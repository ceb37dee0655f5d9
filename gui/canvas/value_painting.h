// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/colour_scale.h"
#include "gui/canvas/sampling.h"

namespace mpm::gui {

/// Paints values from 0 to 1 (CV_32F, the whole picture's, of any size) over pixels (CV_8UC4 of the
/// part's size). Keeps its memory from call to call.
class ValuePainting {
 public:
  void paint(cv::Mat& pixels, const cv::Mat& values, const Part& part, const ColourScale& scale,
             double opacity);

 private:
  Samples samples_;
  std::vector<QRgb> row_;
};

}  // namespace mpm::gui
