// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/chance.h"
#include "models/scenes/drawing/brush.h"

namespace mpm::scenes {

/// A pinhole camera above the street, turned a little to a side. Metres: x along the street, y up,
/// z across it and away from the camera, which is at x = z = 0. Verticals stay vertical: the image
/// is shifted, not tilted.
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
  /// Returns a column's x at this z.
  double xAt(double column, double z) const {
    const double t = (column - centreX) / focal;
    return z * (t * cosYaw + sinYaw) / (cosYaw - t * sinYaw);
  }
  /// Returns the ground, as (x, z), at a pixel below the horizon.
  cv::Point2d ground(double column, double row) const {
    const double d = focal * eyeHeight / (row - horizon), side = (column - centreX) / focal * d;
    return {side * cosYaw + d * sinYaw, d * cosYaw - side * sinYaw};
  }
  double rowOfDepth(double d) const { return horizon + focal * eyeHeight / d; }
  double leftEnd(double z) const { return xAt(-0.02 * size.width, z); }
  double rightEnd(double z) const { return xAt(1.02 * size.width, z); }
};

enum class Roof { flat, ridge, gable, stepped, mansard, hip };

struct Building {
  double left, right, front, deep;  ///< metres; the front stands at z = `front`
  int storeys, columns;             ///< of windows
  double storey;                    ///< a storey's height
  Roof roof;
  double roofHeight;
  Colour wall, roofing, trim, door;
  bool shop, shutters, bricks, balconies;
  Chance chance;

  double height() const { return 0.5 + storeys * storey; }
};

enum class TreeKind { round, poplar, conifer };

struct Tree {
  double x, z, height, crown;  ///< `crown`: its radius
  TreeKind kind;
  Colour leaves;
  Chance chance;
};

struct Lamp {
  double x, z, height;
  int side;  ///< of its arm along z: -1 towards the camera, 1 away
  double thickness;
};

/// A range of x.
struct Stretch {
  double left, right;
};

/// Objects of a street, all from its seed. Bands in metres across it, from near to far: verge or
/// pavement, road (cycle lane, near lane, far lane, parking), pavement, gardens.
struct Layout {
  View view;
  Chance chance{0};
  bool rightHand = true;
  double nearVerge = 0;   ///< grass from the picture's lower edge up to here; 0: none
  double nearKerb = 9.4;  ///< where the road begins
  double cycleEnd = 10.9, lanesMiddle = 13.9, lanesEnd = 16.7, farKerb = 18.7;
  double verge = 0;  ///< grass along the far kerb up to here; 0: none
  double pavementEnd = 21, front = 23.5;
  bool parking = true, cyclePath = false, crossing = false, centreLine = true;
  double crossingX = 0;
  double traffic = 1, crowd = 1;
  int lampKind = 0;
  Colour lampPaint, grass, asphalt, paving, hedge;
  double hedgeHeight = 0;  ///< 0: none
  std::vector<Stretch> hedges;
  std::vector<Building> buildings;
  std::vector<Tree> trees;
  std::vector<Lamp> lamps;
};

Layout layoutOf(std::uint64_t seed, cv::Size size);

}  // namespace mpm::scenes
