// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/lighting.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

namespace mpm::scenes {
namespace {

constexpr double kHazePerMetre = 0.0013, kFogPerMetre = 0.034;
constexpr double kLongestShadow = 3.2;  // of a height of 1

}  // namespace

Lighting::Lighting(const Light& light, const Weather& weather) : light_(light), weather_(weather) {
  const bool sun = light.sunHeight > 0;
  height_ = std::clamp(sun ? light.sunHeight : light.moonHeight, 0.02, 1.0);
  side_ = std::clamp(sun ? light.sunSide : light.moonSide, -1.0, 1.0);
  air_ = light.horizon;
  const double level = std::max(light.level, 1e-5);
  night_ = std::clamp(std::log(0.35 / level) / std::log(0.35 / 0.006), 0.0, 1.0);
  glow_ = std::clamp(light.lamps, 0.0, 1.0) * (0.2 + 0.8 * night_);
  shadows_ = brightness(light.direct) > 0.03;
  const double length =
      std::min(std::sqrt(std::max(0.0, 1 - height_ * height_)) / height_, kLongestShadow);
  shadowStep_ = {-side_ * length, -0.45 * (1 - 0.6 * std::abs(side_)) * length};
}

double Lighting::haze(double depth) const {
  return 1 - std::exp(-depth * (kHazePerMetre + kFogPerMetre * weather_.fog));
}

// Softer than a lamp in a void: walls and clouds throw light back.
double Lighting::sunShare(Facing facing) const {
  const double low = 1 - height_;
  switch (facing) {
    case Facing::front:
      return 0.66 + 0.12 * low;
    case Facing::left:
      return 0.42 - 0.5 * side_;
    case Facing::right:
      return 0.42 + 0.5 * side_;
    case Facing::up:
      return 0.72 + 0.28 * height_;
    case Facing::slope:
      return 0.86;
    case Facing::round:
      return 0.8;
  }
  return 0.8;
}

Tint Lighting::tint(const Surface& surface) const {
  const double clear = 1 - haze(surface.depth);
  const double wet = surface.wet * std::min(1.0, 1.6 * weather_.rain);
  const double white = surface.snow * weather_.snow;
  const double open = surface.facing == Facing::left || surface.facing == Facing::right ? 0.86 : 1;
  const double dark = clear * (1 - 0.34 * wet);
  Tint tint;
  tint.keep = 1 - white;
  tint.white = Colour(0.97, 0.94, 0.92) * white;
  tint.shade = light_.ambient * (open * dark);
  tint.sun = light_.direct * (std::clamp(sunShare(surface.facing), 0.0, 1.0) * dark);
  tint.lamp = warm() * (0.95 * glow_ * clear);
  tint.add = air_ * (1 - clear) + light_.horizon * (0.02 * wet * clear);
  return tint;
}

namespace {

constexpr int kLampGrid = 8;  // pixels between places where lamp light is worked out

}  // namespace

double lampLightAt(const Layout& layout, const cv::Point3d& place) {
  double sum = 0;
  for (const Lamp& lamp : layout.lamps) {
    const cv::Point3d head(lamp.x, lamp.height - 0.2, lamp.z + lamp.side * 0.8);
    const cv::Point3d way = place - head;
    const double distance = way.dot(way);
    const double down = std::max(0.0, -way.y) / std::sqrt(distance + 0.01);
    sum += (0.3 + 0.7 * down) * 26 / (10 + distance * (0.55 + 0.018 * distance));
  }
  return std::min(sum, 1.0);
}

cv::Mat lampLightOf(const Layout& layout) {
  const View& view = layout.view;
  const cv::Size coarse(view.size.width / kLampGrid + 2, view.size.height / kLampGrid + 2);
  cv::Mat light(coarse, CV_8U);
  const double base = view.rowOfDepth(layout.front);
  for (int y = 0; y < coarse.height; ++y) {
    for (int x = 0; x < coarse.width; ++x) {
      const double column = (x + 0.5) * kLampGrid, row = (y + 0.5) * kLampGrid;
      cv::Point3d place;
      if (row > base) {
        const cv::Point2d ground = view.ground(column, row);
        place = {ground.x, 0, ground.y};
      } else {
        const double along = view.xAt(column, layout.front);
        const double metre = view.metre(along, layout.front);
        place = {along, view.eyeHeight - (row - view.horizon) / metre, layout.front};
      }
      light.at<std::uint8_t>(y, x) =
          cv::saturate_cast<std::uint8_t>(255 * lampLightAt(layout, place));
    }
  }
  cv::Mat large;
  cv::resize(light, large, coarse * kLampGrid, 0, 0, cv::INTER_LINEAR);
  return large({{0, 0}, view.size}).clone();
}

}  // namespace mpm::scenes
