// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/actors.h"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace mpm::scenes {
namespace {

constexpr double kWeakest = 0.01;  // of light that is worth drawing
const Colour kHead(0.86, 0.97, 1.0), kTail(0.12, 0.14, 1.0);

bool isGround(std::uint8_t label) {
  return label >= static_cast<int>(Class::road) && label <= static_cast<int>(Class::grass);
}

void addLight(cv::Vec4b& pixel, const Colour& light) {
  for (int c = 0; c < 3; ++c) {
    pixel[c] =
        static_cast<std::uint8_t>(std::min(255, pixel[c] + static_cast<int>(255 * light[c] + 0.5)));
  }
}

cv::Rect areaOf(const Stage& stage, double left, double top, double right, double bottom) {
  const cv::Rect area(cv::Point(cvFloor(left), cvFloor(top)),
                      cv::Point(cvCeil(right), cvCeil(bottom)));
  return area & cv::Rect({0, 0}, stage.canvas.size());
}

// A soft spot, `tall` times as high as wide; on the ground alone, if so wanted.
void addSpot(const Stage& stage, cv::Point2d at, double radius, double tall, const Colour& light,
             bool onGround) {
  const double half = radius * tall;
  const cv::Rect area = areaOf(stage, at.x - radius, at.y - half, at.x + radius, at.y + half);
  const cv::Vec3f strength(light * 255);
  cv::Mat canvas = stage.canvas;
  for (int y = area.y; y < area.y + area.height; ++y) {
    const auto dy = static_cast<float>((y + 0.5 - at.y) / half);
    cv::Vec4b* pixel = canvas.ptr<cv::Vec4b>(y);
    const std::uint8_t* label = stage.labels.ptr(y);
    for (int x = area.x; x < area.x + area.width; ++x) {
      const auto dx = static_cast<float>((x + 0.5 - at.x) / radius);
      const float t = 1 - dx * dx - dy * dy;
      if (t <= 0 || (onGround && !isGround(label[x]))) continue;
      for (int c = 0; c < 3; ++c) {
        const int sum = pixel[x][c] + static_cast<int>(strength[c] * t * t * t + 0.5F);
        pixel[x][c] = static_cast<std::uint8_t>(std::min(sum, 255));
      }
    }
  }
}

// Headlights on the road: a fan that starts at (x, z).
void addBeam(const Stage& stage, double x, double z, int direction, double reach,
             const Colour& light) {
  const View& view = stage.layout.view;
  const cv::Point2d a = view.at(x, 0, z), b = view.at(x + direction * reach, 0, z);
  const double top = view.at(x + direction * reach, 0, z + 2.6).y,
               low = view.at(x + direction * reach, 0, z - 2.2).y;
  const cv::Rect area = areaOf(stage, std::min(a.x, b.x), std::min(a.y, top) - 2,
                               std::max(a.x, b.x), std::max(a.y, low) + 2);
  cv::Mat canvas = stage.canvas;
  for (int row = area.y; row < area.y + area.height; ++row) {
    if (row <= view.horizon + 1) continue;
    cv::Vec4b* pixel = canvas.ptr<cv::Vec4b>(row);
    const cv::Vec4b* albedo = stage.albedo.ptr<cv::Vec4b>(row);
    const std::uint8_t* label = stage.labels.ptr(row);
    for (int column = area.x; column < area.x + area.width; ++column) {
      if (!isGround(label[column])) continue;
      const cv::Point2d ground = view.ground(column + 0.5, row + 0.5);
      const double ahead = (ground.x - x) * direction;
      if (ahead <= 0 || ahead >= reach) continue;
      const double side = (ground.y - z) / (0.7 + 0.24 * ahead), wide = 1 - side * side;
      if (wide <= 0) continue;
      const double t = ahead / reach,
                   along = std::min(1.0, 2.5 * ahead / reach * 3) * (1 - t) * (1 - t);
      Colour reflected;
      for (int c = 0; c < 3; ++c) reflected[c] = light[c] * (0.1 + albedo[column][c] / 255.0);
      addLight(pixel[column], reflected * (along * wide * wide));
    }
  }
}

cv::Point2d headOf(const Layout& layout, const Lamp& lamp) {
  const double s = lamp.thickness / 0.27;
  const double aside = layout.lampKind == 0 ? 0.85 * s * (lamp.x < 0 ? 1 : -1) : 0;
  const double down = layout.lampKind == 0 ? 0 : layout.lampKind == 1 ? 0.4 * s : 0.15 * s;
  return layout.view.at(lamp.x + aside, lamp.height - down, lamp.z);
}

// A wet road draws a light out towards the camera.
void mirror(const Stage& stage, cv::Point2d foot, double height, double radius,
            const Colour& light) {
  const double wet = std::min(1.0, 1.6 * stage.lighting.weather().rain);
  if (wet <= 0.02) return;
  addSpot(stage, foot + cv::Point2d(0, 0.7 * height), radius, 0.75 * height / radius, light * wet,
          true);
}

}  // namespace

// What stands still is mirrored by a wet road: upside down below the houses' feet, smeared towards
// the camera, at half the size.
void mirrorStreet(const Stage& stage) {
  const double wet = std::min(1.0, 1.6 * stage.lighting.weather().rain);
  if (wet <= 0.02) return;
  const View& view = stage.layout.view;
  cv::Mat canvas = stage.canvas, mirror;
  const double front = stage.layout.front;
  const auto footAt = [&](int column) { return view.at(view.xAt(column, front), 0, front).y; };
  const double left = footAt(0), slope = (footAt(canvas.cols) - left) / canvas.cols;
  const int lowest = std::min(canvas.rows, cvCeil(std::max(left, left + slope * canvas.cols)));
  cv::resize(canvas.rowRange(0, lowest), mirror, {}, 0.5, 0.5, cv::INTER_AREA);
  cv::blur(mirror, mirror, {3, cvRound(17 * view.unit) | 1});
  for (int y = cvFloor(std::min(left, left + slope * canvas.cols)); y < canvas.rows; ++y) {
    cv::Vec4b* pixel = canvas.ptr<cv::Vec4b>(y);
    const std::uint8_t* label = stage.labels.ptr(y);
    for (int x = 0; x < canvas.cols; ++x) {
      const bool road = label[x] == static_cast<int>(Class::road);
      if (!road && label[x] != static_cast<int>(Class::pavement)) continue;
      const int row = static_cast<int>(left + slope * x - 0.5 * y);
      if (row < 0 || row >= mirror.rows) continue;
      const cv::Vec4b& seen = mirror.ptr<cv::Vec4b>(row)[std::min(x / 2, mirror.cols - 1)];
      const int share = cvRound(wet * (road ? 58 : 28));
      for (int c = 0; c < 3; ++c) {
        pixel[x][c] =
            static_cast<std::uint8_t>(pixel[x][c] + ((seen[c] - pixel[x][c]) * share >> 8));
      }
    }
  }
}

void lightGround(const Stage& stage, const Traffic& traffic) {
  const Layout& layout = stage.layout;
  const double glow = stage.lighting.glow();
  if (glow < kWeakest) return;
  for (const Car& car : traffic.cars) {
    if (car.parked) continue;
    const double end = measuresOf(car).x / 2, metre = layout.view.metre(car.x, car.z);
    const double front = car.x + car.direction * end, back = car.x - car.direction * end;
    addBeam(stage, front, car.z + 0.8, car.direction, 9, kHead * (0.95 * glow));
    const cv::Point2d tail = layout.view.at(back - 0.3 * car.direction, 0, car.z + 0.6);
    addSpot(stage, tail, 1.1 * metre, 0.35, kTail * (0.3 * glow), true);
    mirror(stage, layout.view.at(front, 0, car.z), 1.3 * metre, 0.3 * metre, kHead * (0.6 * glow));
    mirror(stage, layout.view.at(back, 0, car.z), 1.2 * metre, 0.28 * metre, kTail * (0.7 * glow));
  }
  for (const Rider& rider : traffic.riders) {
    addBeam(stage, rider.x + 0.5 * rider.direction, rider.z, rider.direction, 4,
            kHead * (0.4 * glow));
  }
  for (const Lamp& lamp : layout.lamps) {
    const cv::Point2d head = headOf(layout, lamp), foot = layout.view.at(lamp.x, 0, lamp.z);
    mirror(stage, {head.x, foot.y + 0.25 * (foot.y - head.y)}, 0.5 * (foot.y - head.y),
           14 * layout.view.unit, Lighting::warm() * (0.5 * glow));
  }
}

void drawHalos(const Stage& stage, const Traffic& traffic) {
  const Layout& layout = stage.layout;
  const double glow = stage.lighting.glow(), fog = stage.lighting.weather().fog;
  if (glow < kWeakest) return;
  const double unit = layout.view.unit, grow = 1 + 0.5 * fog;
  for (const Lamp& lamp : layout.lamps) {
    const cv::Point2d head = headOf(layout, lamp);
    addSpot(stage, head, 24 * unit * grow, 1, Lighting::warm() * (0.55 * glow), false);
    addSpot(stage, head, 78 * unit * grow, 1, Lighting::warm() * ((0.2 + 0.12 * fog) * glow),
            false);
  }
  for (const Car& car : traffic.cars) {
    if (car.parked) continue;
    const cv::Point2d measures = measuresOf(car);
    const double end = measures.x / 2, metre = layout.view.metre(car.x, car.z), up = 0.68;
    const cv::Point2d front = layout.view.at(car.x + car.direction * (end - 0.1), up, car.z);
    const cv::Point2d back = layout.view.at(car.x - car.direction * (end - 0.08), up + 0.05, car.z);
    addSpot(stage, front, 0.55 * metre * grow, 1, kHead * (0.5 * glow), false);
    addSpot(stage, back, 0.42 * metre * grow, 1, kTail * (0.45 * glow), false);
  }
}

}  // namespace mpm::scenes
