// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/colour_scale.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>

namespace mpm::gui {
namespace {

ColourScale scaleOf(int map) {
  cv::Mat ramp(1, 256, CV_8U), colours;
  for (int i = 0; i < 256; ++i) ramp.at<uchar>(i) = static_cast<uchar>(i);
  cv::applyColorMap(ramp, colours, map);
  ColourScale scale{};
  for (int i = 0; i < 256; ++i) {
    const auto& bgr = colours.at<cv::Vec3b>(i);
    scale[static_cast<std::size_t>(i)] = qRgb(bgr[2], bgr[1], bgr[0]);
  }
  return scale;
}

}  // namespace

const ColourScale& valueScale() {
  static const ColourScale scale = scaleOf(cv::COLORMAP_CIVIDIS);
  return scale;
}

const ColourScale& countScale() {
  static const ColourScale scale = scaleOf(cv::COLORMAP_VIRIDIS);
  return scale;
}

QRgb colourAt(const ColourScale& scale, double value) {
  const double place = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0) * 255;
  return scale[static_cast<std::size_t>(std::lround(place))];
}

}  // namespace mpm::gui
