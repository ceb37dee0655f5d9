// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace demo {

/// The names and colours of a model's classes.
class ClassOverlay {
 public:
  /// `names`: one a line. `colours`: one a line, #rrggbb. Where they end, numbers and colours of a
  /// wheel go on.
  ClassOverlay(const std::string& names, const std::string& colours);

  /// Colours `frame` (BGR) by each pixel's best class, and adds a legend of the classes that cover
  /// most of it. `scores` [1, K, h, w]; a std::runtime_error where they have another shape.
  void draw(cv::Mat& frame, const cv::Mat& scores) const;

 private:
  std::string name(int index) const;
  cv::Vec3b colour(int index) const;
  void drawLegend(cv::Mat& frame, const std::vector<int>& pixels) const;

  std::vector<std::string> names_, colours_;
};

/// Text that can be read on any ground.
void writeLine(cv::Mat& picture, const std::string& text, cv::Point at);

}  // namespace demo
