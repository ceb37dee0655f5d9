// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/drawing/layout.h"

namespace mpm::scenes {

/// What the street's lamps give at a place (x, y, z), 0 to 1; right below one it is about 1.
double lampLightAt(const Layout& layout, const cv::Point3d& place);

/// The same for all that a picture shows of the ground and of the row of houses: CV_8U.
cv::Mat lampLightOf(const Layout& layout);

}  // namespace mpm::scenes
