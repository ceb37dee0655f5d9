// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/drawing/stage.h"
#include "models/scenes/drawing/traffic.h"

namespace mpm::scenes {

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
