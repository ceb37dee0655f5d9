// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/drawing/stage.h"
#include "models/scenes/drawing/traffic.h"

namespace mpm::scenes {

/// Light on the ground, before anything stands there: headlights, and what a wet road mirrors.
void lightGround(const Stage& stage, const Traffic& traffic);

/// Halos of lamps and headlights, on top of everything.
void drawHalos(const Stage& stage, const Traffic& traffic);

/// How much of the sun the ground lacks: CV_8U, half the picture's size, rounded up.
void drawShadows(const Layout& layout, const Lighting& lighting, const Traffic& traffic,
                 cv::Mat& shadow);

}  // namespace mpm::scenes
