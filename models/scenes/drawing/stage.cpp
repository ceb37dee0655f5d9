// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/stage.h"

#include <algorithm>
#include <cmath>

#include "models/scenes/drawing/lighting.h"

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

Figure::Figure(const Stage& stage, double x, double z, int direction)
    : stage_(stage), x_(x), z_(z), metre_(stage.layout.view.metre(x, z)), direction_(direction) {
  lamp_ = 0.9 * lampLightAt(stage.layout, {x, 1, z});
}

Colour Figure::lit(const Colour& albedo, Facing facing, double snow) const {
  const View& view = stage_.layout.view;
  const Tint tint = stage_.lighting.tint({facing, view.depth(x_, z_), snow, 0});
  return tint.of(albedo, 1, lamp_);
}

Colour Figure::glowing(const Colour& light) const {
  const double haze = stage_.lighting.haze(stage_.layout.view.depth(x_, z_));
  return mixed(light, stage_.lighting.air(), 0.6 * haze);
}

void Figure::limb(cv::Point2d from, cv::Point2d to, double fromWidth, double toWidth,
                  const Colour& albedo) const {
  fill(stroke(at(from.x, from.y), at(to.x, to.y), fromWidth * metre_, toWidth * metre_), albedo);
}

void Figure::disc(cv::Point2d centre, double radius, const Colour& albedo) const {
  fill(circle(at(centre.x, centre.y), radius * metre_), albedo);
}

// Soft: rings of a little shadow each.
void Figure::contactShadow(double from, double to, double nearAway, double farAway) const {
  const double middle = (from + to) / 2, away = (nearAway + farAway) / 2;
  for (int ring = 0; ring < 4; ++ring) {
    const double grow = 1.12 - 0.11 * ring;
    Outline outline;
    for (int i = 0; i < 20; ++i) {
      const double angle = CV_PI * i / 10;
      // Squarer than an ellipse.
      const double c = std::cos(angle), s = std::sin(angle);
      const double square = 1 / std::pow(std::pow(std::abs(c), 4) + std::pow(std::abs(s), 4), 0.25);
      outline.push_back(at(middle + grow * square * c * (to - from) / 2, 0,
                           away + grow * square * s * (farAway - nearAway) / 2));
    }
    stage_.brush.fill(outline, Colour(0.03, 0.03, 0.03), 0.19);
  }
}

}  // namespace mpm::scenes
