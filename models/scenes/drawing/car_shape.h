// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/scenes/drawing/outline.h"

namespace mpm::scenes {

enum class Part { paint, glass, nose, tail };

/// A car's side in metres: x ahead of its middle, y up. Its top goes from the rear bumper over the
/// roof to the front one; `parts` says what lies between a point and the next, across the car.
struct CarShape {
  Outline top;
  std::vector<Part> parts;
  std::vector<Outline> panes;
  double length, height, belt, frontWheel, rearWheel, wheelRadius;
};

/// Hatchback, saloon, estate, off-roader, van.
constexpr int kCarShapes = 5;
const CarShape& carShape(int kind);

}  // namespace mpm::scenes
