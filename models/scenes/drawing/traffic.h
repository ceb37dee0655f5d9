// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/scenes/drawing/layout.h"
#include "models/scenes/drawing/stage.h"

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

void drawCar(const Stage& stage, const Car& car);
void drawPerson(const Stage& stage, const Walker& walker);
void drawCyclist(const Stage& stage, const Rider& rider);
void drawLamp(const Stage& stage, const Lamp& lamp);

/// How long and high a car is, in metres.
cv::Point2d measuresOf(const Car& car);

/// What a wet road mirrors of the street that stands still, before anything is drawn on it.
void mirrorStreet(const Stage& stage);

/// Light on the ground, behind that: headlights, and lights that a wet road mirrors.
void lightGround(const Stage& stage, const Traffic& traffic);

/// Halos of lamps and headlights, on top of everything.
void drawHalos(const Stage& stage, const Traffic& traffic);

/// How much of the sun the ground lacks: CV_8U, half the picture's size, rounded up.
void drawShadows(const Layout& layout, const Lighting& lighting, const Traffic& traffic,
                 cv::Mat& shadow);

}  // namespace mpm::scenes
