// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRgb>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/pixels.h"

namespace mpm::gui {

class ClassSettings;

/// What a label looks like; the last entry is for labels past the classes.
struct LabelLook {
  QRgb colour = 0;
  bool shown = true;
};
std::vector<LabelLook> looksOf(const ClassSettings& classes);

/// Paints labels (CV_8U or CV_16U, the whole picture's, of any size) over pixels (CV_8UC4 of the
/// part's size). Keeps its memory from call to call.
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
  template <typename Label>
  void overlayTyped(cv::Mat& pixels, const cv::Mat& labels, const std::vector<LabelLook>& looks,
                    int alpha, int lineWidth);
  template <typename Label>
  void differTyped(cv::Mat& pixels, const cv::Mat& labels, const cv::Mat& others, QRgb colour,
                   int alpha);

  Samples samples_;
  cv::Mat
      rows_;  // of labels as they are painted: the one at hand and those that lines look back to
};

}  // namespace mpm::gui
