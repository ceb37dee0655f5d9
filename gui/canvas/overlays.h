// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>
#include <QRgb>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/pictures.h"

/// What is painted over pixels: CV_8UC4 of the part's size.
namespace mpm::gui {

/// Labels: CV_8U or CV_16U, the whole picture's, of any size. `lineWidth` 0: no lines between
/// classes. A line is on the right and lower side of a border, where either of its classes is
/// shown.
void paintLabels(cv::Mat& pixels, const cv::Mat& labels, const Part& part,
                 const ClassSettings& classes, double opacity, int lineWidth);

/// Colours the pixels at which the two differ. Both of one type and size.
void paintDifferences(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others,
                      const Part& part, QRgb colour, double opacity);

/// A grid of cells as it is painted.
struct CellLook {
  cv::Size grid;
  std::vector<QRgb> colours;  ///< one for each cell
  std::vector<char> skipped;  ///< cells that are left as they are; empty: none
  std::vector<char> hatched;  ///< cells with stripes across; empty: none
  std::vector<int> groups;    ///< lines stand between cells of different ones; empty: no lines
  std::vector<QRgb> lines;    ///< of the cell that the line is in
};

/// `area`: what the grid covers, of the picture. Lines are left out where a cell has less than four
/// times their width. Opaque ones cost no more than copying.
void paintCells(cv::Mat& pixels, const Part& part, const QRectF& area, const CellLook& look,
                double opacity, int lineWidth);

/// Values from 0 to 1: CV_32F, the whole picture's, of any size.
void paintValues(cv::Mat& pixels, const cv::Mat& values, const Part& part, const ColourScale& scale,
                 double opacity);

}  // namespace mpm::gui
