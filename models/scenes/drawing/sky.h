// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/chance.h"
#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/layout.h"
#include "models/scenes/drawing/lighting.h"

namespace mpm::scenes {

/// What is above the street. Whatever is smooth is worked out on a coarse grid and enlarged; noise
/// of less than a step of grey then keeps dark gradients from showing bands.
class Sky {
 public:
  explicit Sky(const Layout& layout);

  /// Into the first `rows` rows of `canvas` (CV_8UC4).
  void draw(const Lighting& lighting, double time, int rows, cv::Mat& canvas, Brush& brush);

 private:
  struct Star {
    cv::Point2d at;
    double brightness, phase;
  };
  struct Disc {  // sun or moon
    cv::Point2d at;
    double radius, height;
  };
  Disc discAt(double height, double side, double radius) const;
  double cloudAt(double x, double y) const;
  void workOut(const Lighting& lighting, double time, int rows);
  void enlarge(int rows, cv::Mat& canvas) const;
  double clear(cv::Point2d at) const;  ///< of clouds, 0 to 1
  void drawStars(const Lighting& lighting, double time, cv::Mat& canvas) const;
  void drawDiscs(const Lighting& lighting, Brush& brush) const;

  View view_;
  cv::Mat noise_;   // CV_32F, its sides meet
  cv::Mat dither_;  // CV_16S
  double drift_;    // noise cells a second
  std::vector<Star> stars_;
  cv::Mat coarse_, covered_, fine_;  // CV_16UC3, 64 to a step of grey; CV_32F
};

}  // namespace mpm::scenes
