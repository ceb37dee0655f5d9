// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>
#include <QRgb>
#include <opencv2/core.hpp>
#include <vector>

namespace mpm::gui {

/// A part of the picture, painted at some size.
struct Part {
  cv::Rect area;     ///< of the picture, in its pixels
  cv::Size picture;  ///< the whole picture's size
  cv::Size size;     ///< of what is painted
  bool operator==(const Part&) const = default;
};

/// Which cell of a grid each column and row of what is painted takes its value from: the one that
/// its centre lies in. -1: outside the grid.
struct Samples {
  std::vector<int> columns, rows;
  bool everyColumn = false;  ///< whether columns are 0, 1, 2, ... of the grid
};

/// `area`: what the grid covers, of the picture.
void sampleGrid(const Part& part, cv::Size grid, const QRectF& area, Samples& samples);

/// Opacity as the blends take it: 0 to 256.
int blendAlpha(double opacity);

/// Each channel of `pixels` (alpha too) becomes (pixel * (256 - alpha) + colour * alpha) / 256,
/// rounded down.
void blend(QRgb* pixels, int count, QRgb colour, int alpha);
/// The same with a colour for each pixel.
void blend(QRgb* pixels, const QRgb* colours, int count, int alpha);

}  // namespace mpm::gui
