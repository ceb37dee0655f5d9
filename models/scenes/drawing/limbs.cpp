// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/limbs.h"

#include <algorithm>
#include <cmath>

namespace mpm::scenes {
namespace {

cv::Point2d hanging(double angle, double length) {  // 0: straight down; positive: ahead
  return {length * std::sin(angle), -length * std::cos(angle)};
}

}  // namespace

Limb walkingLeg(double length, double phase, double swing) {
  const double thigh = swing * std::sin(phase) + 0.04;
  const double knee = 0.06 + 0.95 * swing * 2.1 * std::pow(std::max(0.0, std::cos(phase)), 1.5);
  Limb leg;
  leg.middle = leg.root + hanging(thigh, 0.5 * length);
  leg.end = leg.middle + hanging(thigh - knee, 0.5 * length);
  return leg;
}

Limb walkingArm(cv::Point2d shoulder, double length, double phase, double swing) {
  const double upper = swing * std::sin(phase), bend = 0.25 + 0.35 * (1 + std::sin(phase)) * swing;
  Limb arm;
  arm.root = shoulder;
  arm.middle = shoulder + hanging(upper, 0.5 * length);
  arm.end = arm.middle + hanging(upper + bend, 0.48 * length);
  return arm;
}

Limb bentLimb(cv::Point2d root, cv::Point2d end, double upper, double lower, bool forward) {
  const cv::Point2d way = end - root;
  const double distance = std::clamp(std::hypot(way.x, way.y), 1e-6, upper + lower - 1e-6);
  const double along = (distance * distance + upper * upper - lower * lower) / (2 * distance);
  const double aside = std::sqrt(std::max(0.0, upper * upper - along * along));
  const cv::Point2d unit = way / std::max(std::hypot(way.x, way.y), 1e-6);
  const cv::Point2d normal = forward ? cv::Point2d(-unit.y, unit.x) : cv::Point2d(unit.y, -unit.x);
  return {root, root + unit * along + normal * aside, end};
}

}  // namespace mpm::scenes
