// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::scenes {

/// A pinhole camera above the street, turned a little to a side. Metres: x along the street, y up,
/// z across it and away from the camera, which stands at x = z = 0. Verticals stay vertical: the
/// picture is shifted, not tilted.
struct View {
  cv::Size size;
  double unit = 1;  ///< pixels of this picture that are one in a picture 512 high
  double focal = 520, centreX = 256, horizon = 200, eyeHeight = 4;
  double cosYaw = 1, sinYaw = 0;

  double depth(double x, double z) const { return z * cosYaw + x * sinYaw; }
  double metre(double x, double z) const { return focal / depth(x, z); }  ///< in pixels
  cv::Point2d at(double x, double y, double z) const {
    const double scale = metre(x, z);
    return {centreX + scale * (x * cosYaw - z * sinYaw), horizon + scale * (eyeHeight - y)};
  }
  /// Where along z the column stands: its x.
  double xAt(double column, double z) const {
    const double t = (column - centreX) / focal;
    return z * (t * cosYaw + sinYaw) / (cosYaw - t * sinYaw);
  }
  /// The ground that a pixel below the horizon shows, as (x, z).
  cv::Point2d ground(double column, double row) const {
    const double d = focal * eyeHeight / (row - horizon), side = (column - centreX) / focal * d;
    return {side * cosYaw + d * sinYaw, d * cosYaw - side * sinYaw};
  }
  double rowOfDepth(double d) const { return horizon + focal * eyeHeight / d; }
  double leftEnd(double z) const { return xAt(-0.02 * size.width, z); }
  double rightEnd(double z) const { return xAt(1.02 * size.width, z); }
};

}  // namespace mpm::scenes
