// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/colour_scale.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "gui/canvas/pixels.h"

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

void ValuePainting::paint(cv::Mat& pixels, const cv::Mat& values, const Part& part,
                          const ColourScale& scale, double opacity) {
  sampleGrid(part, values.size(), {0, 0, 1, 1}, samples_);
  const std::size_t width = samples_.columns.size();
  row_.resize(width);
  const int alpha = blendAlpha(opacity);
  int drawn = -1;
  for (int y = 0; y < pixels.rows; ++y) {
    const int source = samples_.rows[static_cast<std::size_t>(y)];
    if (source != drawn) {
      const auto* from = values.ptr<float>(source);
      for (std::size_t x = 0; x < width; ++x) {
        const float value = from[samples_.columns[x]];
        const int step = value > 0 ? (value < 1 ? static_cast<int>(value * 255 + 0.5F) : 255) : 0;
        row_[x] = scale[static_cast<std::size_t>(step)];
      }
      drawn = source;
    }
    blend(pixels.ptr<QRgb>(y), row_.data(), pixels.cols, alpha);
  }
}

}  // namespace mpm::gui
