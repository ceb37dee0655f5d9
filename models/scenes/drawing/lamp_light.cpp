// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/lamp_light.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

namespace mpm::scenes {
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
