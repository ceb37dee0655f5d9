// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/scenes/drawing/layout.h"

namespace mpm::scenes {

struct Car {
  double x, z;    ///< its middle; the side that looks at the camera
  int direction;  ///< along x: 1 or -1
  bool parked;
  double travelled;  ///< metres, for its wheels
  Chance chance;
};

struct Walker {
  double x, z;
  int direction;
  double travelled, size;  ///< `size`: 1 for 1.74 m
  Chance chance;
};

struct Rider {
  double x, z;
  int direction;
  double travelled;
  Chance chance;
};

/// Who is where in a street at a time. In closed form: those of a lane keep their distances for
/// ever, as beads on a string that is pulled through the picture; whether a bead is there follows
/// from how busy the street is at the time when it passes the middle.
struct Traffic {
  std::vector<Car> cars;
  std::vector<Walker> walkers;
  std::vector<Rider> riders;
};

Traffic trafficAt(const Layout& layout, double time);

}  // namespace mpm::scenes
