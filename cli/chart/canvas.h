// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

namespace mpm::cli {

/// Where a text stands relative to its point.
enum class Align { left, centre, right };

/// A picture that is drawn larger than it is seen, so that strokes and letters are smooth. All
/// measures are in pixels of the picture that is seen; colours are BGR.
class Canvas {
 public:
  explicit Canvas(const cv::Size& size)
      : size_(size), large_(size * kScale, CV_8UC3, cv::Scalar::all(255)) {}

  void line(const cv::Point2d& from, const cv::Point2d& to, const cv::Scalar& colour,
            double width) {
    cv::line(large_, fine(from), fine(to), colour, stroke(width), cv::LINE_AA, kShift);
  }

  void disc(const cv::Point2d& centre, double radius, const cv::Scalar& colour) {
    cv::circle(large_, fine(centre), fine({radius, 0}).x, colour, cv::FILLED, cv::LINE_AA, kShift);
  }

  void ring(const cv::Point2d& centre, double radius, const cv::Scalar& colour, double width) {
    cv::circle(large_, fine(centre), fine({radius, 0}).x, colour, stroke(width), cv::LINE_AA,
               kShift);
  }

  void box(const cv::Rect2d& area, const cv::Scalar& colour) {
    cv::rectangle(large_, fine(area.tl()), fine(area.br()), colour, cv::FILLED, cv::LINE_AA,
                  kShift);
  }

  /// `at`: the middle of its height; left, centre or right of its width.
  void text(const std::string& words, const cv::Point2d& at, Align align, double height,
            const cv::Scalar& colour, bool bold = false) {
    const cv::Size2d size = textSize(words, height);
    const double left = align == Align::left     ? at.x
                        : align == Align::centre ? at.x - size.width / 2
                                                 : at.x - size.width;
    const cv::Point origin(cvRound(left * kScale), cvRound((at.y + height * 0.34) * kScale));
    cv::putText(large_, words, origin, kFont, fontScale(height), colour, fontStroke(height, bold),
                cv::LINE_AA);
  }

  /// The same, running upwards.
  void textUpwards(const std::string& words, const cv::Point2d& centre, double height,
                   const cv::Scalar& colour) {
    const cv::Size2d size = textSize(words, height);
    Canvas flat({static_cast<int>(std::ceil(size.width)) + 4, static_cast<int>(2 * height)});
    flat.text(words, {flat.size_.width / 2.0, height}, Align::centre, height, colour);
    cv::Mat upright;
    cv::rotate(flat.large_, upright, cv::ROTATE_90_COUNTERCLOCKWISE);
    const cv::Point corner(cvRound(centre.x * kScale) - upright.cols / 2,
                           cvRound(centre.y * kScale) - upright.rows / 2);
    const cv::Rect whole(corner, upright.size());
    const cv::Rect seen = whole & cv::Rect({}, large_.size());
    if (!seen.empty()) upright(seen - corner).copyTo(large_(seen));
  }

  /// What a text takes.
  static cv::Size2d textSize(const std::string& words, double height) {
    int below = 0;
    const cv::Size size =
        cv::getTextSize(words, kFont, fontScale(height), fontStroke(height, false), &below);
    return {static_cast<double>(size.width) / kScale, height};
  }

  cv::Mat picture() const {
    cv::Mat picture;
    cv::resize(large_, picture, size_, 0, 0, cv::INTER_AREA);
    return picture;
  }

 private:
  static constexpr int kScale = 4;
  static constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
  // Of this font at scale 1, from the top of a b to a p's foot.
  static constexpr double kFontHeight = 30;
  static constexpr int kShift = 4;  // drawing takes sixteenths of a pixel
  static cv::Point fine(const cv::Point2d& point) {
    constexpr double kFine = kScale * (1 << kShift);
    return {cvRound(point.x * kFine), cvRound(point.y * kFine)};
  }

  static int stroke(double width) { return std::max(1, cvRound(width * kScale)); }
  static double fontScale(double height) { return height * kScale / kFontHeight; }
  static int fontStroke(double height, bool bold) { return stroke(height * (bold ? 0.15 : 0.095)); }

  cv::Size size_;
  cv::Mat large_;
};

}  // namespace mpm::cli
