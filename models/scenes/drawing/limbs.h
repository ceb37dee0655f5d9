// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::scenes {

/// A leg or an arm: joints in metres, ahead and up.
struct Limb {
  cv::Point2d root, middle, end;
};

/// A leg that walks, `phase` in radians: out to the front as sin(phase), bent as it swings there.
Limb walkingLeg(double length, double phase, double swing);
Limb walkingArm(cv::Point2d shoulder, double length, double phase, double swing);
/// From root to end over a joint that bends forward (knee) or back (elbow).
Limb bentLimb(cv::Point2d root, cv::Point2d end, double upper, double lower, bool forward);

}  // namespace mpm::scenes
