// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/chance.h"
#include "models/scenes/classes.h"

namespace mpm::scenes {

/// BGR, 0 to 1: reflectance under white light, or a pixel's value.
using Colour = cv::Vec3d;

/// Converts from 0xRRGGBB.
inline Colour rgb(unsigned hex) {
  return {(hex & 255) / 255.0, (hex >> 8 & 255) / 255.0, (hex >> 16 & 255) / 255.0};
}

inline double brightness(const Colour& c) { return 0.11 * c[0] + 0.59 * c[1] + 0.3 * c[2]; }

/// A closed polygon in pixels: (0, 0) is the first pixel's corner, (0.5, 0.5) its centre.
using Outline = std::vector<cv::Point2d>;

Outline ellipse(cv::Point2d centre, double radiusX, double radiusY, int points = 0);
inline Outline circle(cv::Point2d centre, double radius) { return ellipse(centre, radius, radius); }
/// Returns a line with round ends, `fromWidth` wide at its start.
Outline stroke(cv::Point2d from, cv::Point2d to, double fromWidth, double toWidth);
Outline box(double left, double top, double right, double bottom);
/// Returns a closed Catmull-Rom curve through the corners, `steps` points for each.
Outline smooth(const Outline& corners, int steps);

/// Computes by area how much of each pixel a polygon covers. OpenCV's anti-aliased fill draws soft
/// lines around a hard polygon and covers half a pixel too much; labels need the true share.
/// Polygons may turn either way; overlaps with themselves count once.
class Coverage {
 public:
  /// Returns false, with nothing to read, if it covers nothing of `clip`.
  bool cover(const Outline& outline, const cv::Rect& clip);
  const cv::Rect& area() const { return area_; }  ///< the pixels that rows tell of
  const std::uint8_t* row(int y) const {          ///< of a row of `area`; 255: all of the pixel
    return shares_.data() + static_cast<std::size_t>(y - area_.y) * area_.width;
  }

 private:
  void addEdge(cv::Point2d from, cv::Point2d to);
  void addSlice(float* row, double left, double right, double height) const;

  cv::Rect area_;
  std::vector<float> steps_;  // change of coverage from pixel to pixel
  std::vector<std::uint8_t> shares_;
};

/// Draws shapes into a picture and, between `begin` and `end`, their object into the labels, where
/// the shapes together cover at least half of a pixel. Drawing outside of an object (light, shadow)
/// leaves labels alone.
class Brush {
 public:
  /// `picture` is CV_8UC4: premultiplied BGR and coverage; `labels` is CV_8U; `materials` is CV_16U
  /// or empty. All have one size and are drawn into in place.
  void aim(const cv::Mat& picture, const cv::Mat& labels, const cv::Mat& materials = {});

  void begin(Class what);
  void end();
  /// Sets the material of pixels that later shapes cover by half, or fill alone.
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
