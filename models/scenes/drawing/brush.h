// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/chance.h"
#include "models/scenes/classes.h"

namespace mpm::scenes {

/// BGR, 0 to 1: what is reflected of white light, or what a pixel shows.
using Colour = cv::Vec3d;

/// From the way colours are usually written, 0xRRGGBB.
inline Colour rgb(unsigned hex) {
  return {(hex & 255) / 255.0, (hex >> 8 & 255) / 255.0, (hex >> 16 & 255) / 255.0};
}

inline double brightness(const Colour& c) { return 0.11 * c[0] + 0.59 * c[1] + 0.3 * c[2]; }

/// A closed polygon in pixels: (0, 0) is the first pixel's corner, (0.5, 0.5) its centre.
using Outline = std::vector<cv::Point2d>;

Outline ellipse(cv::Point2d centre, double radiusX, double radiusY, int points = 0);
inline Outline circle(cv::Point2d centre, double radius) { return ellipse(centre, radius, radius); }
/// A line with round ends, `fromWidth` wide where it starts.
Outline stroke(cv::Point2d from, cv::Point2d to, double fromWidth, double toWidth);
Outline box(double left, double top, double right, double bottom);
/// Catmull-Rom through the corners, `steps` points for each; the first and last are joined.
Outline smooth(const Outline& corners, int steps);

/// How much of each pixel a polygon covers, by area. OpenCV's anti-aliased fill draws soft lines
/// around a hard polygon and so covers half a pixel too much; labels need the share that is true.
/// Polygons may turn either way; where one overlaps itself it counts once.
class Coverage {
 public:
  /// False, and nothing to read, where it covers nothing of `clip`.
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
