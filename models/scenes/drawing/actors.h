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

}  // namespace mpm::scenes
