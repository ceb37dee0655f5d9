// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/scenes/chance.h"
#include "models/scenes/drawing/colour.h"
#include "models/scenes/drawing/view.h"

namespace mpm::scenes {

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

/// From x to x.
struct Stretch {
  double left, right;
};

/// What stands in a street, all from its seed. Bands in metres across it, from near to far:
/// verge or pavement, road (cycle lane, near lane, far lane, parking), pavement, gardens.
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
