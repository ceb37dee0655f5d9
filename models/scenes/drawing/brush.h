// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/classes.h"
#include "models/scenes/drawing/colour.h"
#include "models/scenes/drawing/coverage.h"

namespace mpm::scenes {

/// Draws shapes into a picture and, between `begin` and `end`, the object that they make into the
/// labels: where at least half of a pixel is covered by the object's shapes together. What is
/// drawn outside of an object (light, shadow) leaves labels alone.
class Brush {
 public:
  /// `picture` CV_8UC4: premultiplied BGR and how much of the pixel is drawn; `labels` CV_8U;
  /// `materials` CV_16U or empty. All of one size, and drawn into in place.
  void aim(const cv::Mat& picture, const cv::Mat& labels, const cv::Mat& materials = {});

  void begin(Class what);
  void end();
  /// For pixels that the shapes from now on cover half, or that show nothing else.
  void setMaterial(int material) { material_ = static_cast<std::uint16_t>(material); }

  void fill(const Outline& outline, const Colour& colour, double opacity = 1);

 private:
  static std::uint8_t over(int below, int share) {
    return static_cast<std::uint8_t>(below + share - (below * share + 127) / 255);
  }
  void fillRow(int y, const std::uint8_t* shares, const cv::Rect& area, const cv::Vec4b& full,
               int opacity);

  cv::Mat picture_, labels_, materials_, object_;
  cv::Rect whole_, touched_;
  Coverage coverage_;
  Class class_ = Class::sky;
  bool inObject_ = false;
  std::uint16_t material_ = 0;
};

}  // namespace mpm::scenes
