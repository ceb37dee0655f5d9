// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/value_painting.h"

#include <cstddef>

#include "gui/canvas/blend.h"

namespace mpm::gui {

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
