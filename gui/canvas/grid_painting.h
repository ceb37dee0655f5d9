// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRgb>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/pixels.h"

namespace mpm::gui {

/// A grid of cells as it is painted.
struct CellLook {
  cv::Size grid;
  std::vector<QRgb> colours;  ///< one for each cell
  std::vector<char> skipped;  ///< cells that are left as they are; empty: none
  std::vector<char> hatched;  ///< cells with stripes across; empty: none
  std::vector<int> groups;    ///< lines stand between cells of different ones; empty: no lines
  std::vector<QRgb> lines;    ///< of the cell that the line is in
};

/// Paints cells over pixels (CV_8UC4 of the part's size). Keeps its memory from call to call.
class GridPainting {
 public:
  /// Lines are left out where a cell has less than four times their width. Opaque ones cost no
  /// more than copying.
  void paint(cv::Mat& pixels, const Part& part, const QRectF& area, const CellLook& look,
             double opacity, int lineWidth);

 private:
  void drawRow(const CellLook& look, int cellRow, bool topLine);
  void drawHatch(cv::Mat& pixels, const CellLook& look) const;

  Samples samples_;
  int lineWidth_ = 0;
  std::vector<QRgb> row_;
  std::vector<cv::Range> spans_;  // of row_ that are painted
};

}  // namespace mpm::gui
