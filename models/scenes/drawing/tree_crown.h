// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/layout.h"

namespace mpm::scenes {

/// A tree's trunk and leaves, without light. `metre` in pixels.
void paintTree(Brush& brush, const Tree& tree, cv::Point2d foot, double metre);

}  // namespace mpm::scenes
