// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>
#include <QRgb>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/pictures.h"

/// Paints over `pixels`, which are CV_8UC4 of the part's size.
namespace mpm::gui {

/// Paints the labels of the whole frame: CV_8U or CV_16U, of any size. `lineWidth` 0 omits lines
/// between classes. A line is to the right of or below a border of a class that is shown.
void paintLabels(cv::Mat& pixels, const cv::Mat& labels, const Part& part,
                 const ClassSettings& classes, double opacity, int lineWidth);

/// Colours the pixels at which the two differ. Both have the same type and size.
void paintDifferences(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others,
                      const Part& part, QRgb colour, double opacity);

/// Appearance of a grid of cells.
struct CellLook {
  cv::Size grid;
  std::vector<QRgb> colours;  ///< one for each cell
  std::vector<char> skipped;  ///< cells that are left as they are; empty: none
  std::vector<char> hatched;  ///< cells with stripes across; empty: none
  std::vector<int> groups;    ///< lines stand between cells of different ones; empty: no lines
  std::vector<QRgb> lines;    ///< of the cell that the line is in
};

/// Paints cells; `area` is the part of the frame that the grid covers. Lines are left out if a cell
/// is smaller than four times their width. Opaque cells cost no more than copying.
void paintCells(cv::Mat& pixels, const Part& part, const QRectF& area, const CellLook& look,
                double opacity, int lineWidth);

/// Paints values from 0 to 1 of the whole frame: CV_32F, of any size.
void paintValues(cv::Mat& pixels, const cv::Mat& values, const Part& part, const ColourScale& scale,
                 double opacity);

}  // namespace mpm::gui
