// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRgb>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/colour_scale.h"
#include "gui/canvas/pixels.h"

/// What is painted over pixels: CV_8UC4 of the part's size. Each keeps its memory from call to
/// call.
namespace mpm::gui {

class ClassSettings;

/// What a label looks like; the last entry is for labels past the classes.
struct LabelLook {
  QRgb colour = 0;
  bool shown = true;
};
std::vector<LabelLook> looksOf(const ClassSettings& classes);

/// Labels: CV_8U or CV_16U, the whole picture's, of any size.
class LabelPainting {
 public:
  /// `lineWidth` 0: no lines between classes. A line is on the right and lower side of a border,
  /// where either of its classes is shown.
  void overlay(cv::Mat& pixels, const cv::Mat& labels, const Part& part,
               const std::vector<LabelLook>& looks, double opacity, int lineWidth);

  /// Colours the pixels at which the two differ. Both of one type and size.
  void differences(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others, const Part& part,
                   QRgb colour, double opacity);

 private:
  std::uint16_t* sampleRow(const cv::Mat& labels, int y, int kept);

  Samples samples_;
  // Of labels as they are painted: the one at hand and those that lines look back to.
  cv::Mat_<std::uint16_t> rows_;
};

/// A grid of cells as it is painted.
struct CellLook {
  cv::Size grid;
  std::vector<QRgb> colours;  ///< one for each cell
  std::vector<char> skipped;  ///< cells that are left as they are; empty: none
  std::vector<char> hatched;  ///< cells with stripes across; empty: none
  std::vector<int> groups;    ///< lines stand between cells of different ones; empty: no lines
  std::vector<QRgb> lines;    ///< of the cell that the line is in
};

class GridPainting {
 public:
  /// `area`: what the grid covers, of the picture. Lines are left out where a cell has less than
  /// four times their width. Opaque ones cost no more than copying.
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

/// Values from 0 to 1: CV_32F, the whole picture's, of any size.
class ValuePainting {
 public:
  void paint(cv::Mat& pixels, const cv::Mat& values, const Part& part, const ColourScale& scale,
             double opacity);

 private:
  Samples samples_;
  std::vector<QRgb> row_;
};

}  // namespace mpm::gui
