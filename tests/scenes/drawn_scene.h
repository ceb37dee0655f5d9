// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "models/scenes/classes.h"
#include "models/scenes/scene.h"

namespace mpm::test {

struct DrawnScene {
  cv::Mat picture, labels;
};

constexpr double kHourSeconds = 3600;

inline scenes::Light noonLight() {
  scenes::Light light;
  light.sunHeight = 0.75, light.sunSide = 0.2;
  light.ambient = {0.62, 0.6, 0.59}, light.direct = {0.35, 0.38, 0.4};
  light.zenith = {0.86, 0.6, 0.35}, light.horizon = {0.95, 0.9, 0.83};
  return light;
}

inline scenes::Light duskLight() {
  scenes::Light light;
  light.sunHeight = 0.04, light.sunSide = 0.95;
  light.ambient = {0.6, 0.55, 0.54}, light.direct = {0.06, 0.16, 0.28};
  light.zenith = {0.73, 0.54, 0.42}, light.horizon = {0.55, 0.7, 0.94};
  light.lamps = 0.6, light.windows = 0.3, light.level = 0.07;
  return light;
}

inline scenes::Light nightLight() {
  scenes::Light light;
  light.sunHeight = -0.6, light.moonHeight = 0.5, light.moonSide = -0.4;
  light.ambient = {0.25, 0.19, 0.16}, light.direct = {0.03, 0.03, 0.025};
  light.zenith = {0.17, 0.09, 0.06}, light.horizon = {0.27, 0.18, 0.15};
  light.lamps = 1, light.windows = 0.35, light.stars = 1, light.level = 0.002;
  return light;
}

inline DrawnScene drawOnce(std::uint64_t seed, cv::Size size, double time,
                           const scenes::Light& light, const scenes::Weather& weather = {}) {
  DrawnScene drawn;
  scenes::Scene(seed, size).draw(time, light, weather, drawn.picture, drawn.labels);
  return drawn;
}

inline int differing(const cv::Mat& a, const cv::Mat& b) {
  cv::Mat difference;
  cv::absdiff(a, b, difference);
  return cv::countNonZero(difference.reshape(1));
}

inline bool equal(const DrawnScene& a, const DrawnScene& b) {
  return a.picture.size() == b.picture.size() && differing(a.picture, b.picture) == 0 &&
         differing(a.labels, b.labels) == 0;
}

inline int countOf(const cv::Mat& labels, scenes::Class what) {
  return cv::countNonZero(labels == static_cast<int>(what));
}

}  // namespace mpm::test
