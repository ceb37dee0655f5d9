// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>

namespace mpm::cli {

/// Where a text stands relative to its point.
enum class Align { left, centre, right };

/// A picture that is drawn larger than it is seen, so that strokes and letters are smooth. All
/// measures are in pixels of the picture that is seen; colours are BGR.
class Canvas {
 public:
  explicit Canvas(const cv::Size& size);

  void line(const cv::Point2d& from, const cv::Point2d& to, const cv::Scalar& colour, double width);
  void disc(const cv::Point2d& centre, double radius, const cv::Scalar& colour);
  void ring(const cv::Point2d& centre, double radius, const cv::Scalar& colour, double width);
  void box(const cv::Rect2d& area, const cv::Scalar& colour);

  /// `at`: the middle of its height; left, centre or right of its width.
  void text(const std::string& words, const cv::Point2d& at, Align align, double height,
            const cv::Scalar& colour, bool bold = false);

  /// The same, running upwards.
  void textUpwards(const std::string& words, const cv::Point2d& centre, double height,
                   const cv::Scalar& colour);

  /// What a text takes.
  static cv::Size2d textSize(const std::string& words, double height);

  cv::Mat picture() const;

 private:
  cv::Size size_;
  cv::Mat large_;
};

}  // namespace mpm::cli
