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

/// Positions of everyone in a street at a time, in closed form. In a lane distances never change,
/// as for beads on a string pulled through the image. Whether a bead is present depends on how busy
/// the street is when it passes the middle.
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

/// Returns a car's length and height, in metres.
cv::Point2d measuresOf(const Car& car);

/// Draws reflections of the still street on a wet road, before anything is drawn on it.
void mirrorStreet(const Stage& stage);

/// Draws headlights and reflected lights on the ground, after mirrorStreet.
void lightGround(const Stage& stage, const Traffic& traffic);

/// Draws halos of lamps and headlights, on top of everything.
void drawHalos(const Stage& stage, const Traffic& traffic);

/// Computes how much sun the ground lacks: CV_8U, half the image's size, rounded up.
void drawShadows(const Layout& layout, const Lighting& lighting, const Traffic& traffic,
                 cv::Mat& shadow);

}  // namespace mpm::scenes
