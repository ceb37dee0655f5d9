// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/stage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR >= 5
#include <opencv2/geometry.hpp>  // which was part of imgproc
#endif

#include "models/scenes/drawing/traffic.h"

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

// Softer than a lamp in a void: walls and clouds reflect light.
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

// Draws a soft shadow from faint rings.
void Figure::contactShadow(double from, double to, double nearAway, double farAway) const {
  const double middle = (from + to) / 2, away = (nearAway + farAway) / 2;
  for (int ring = 0; ring < 4; ++ring) {
    const double grow = 1.12 - 0.11 * ring;
    Outline outline;
    for (int i = 0; i < 20; ++i) {
      const double angle = CV_PI * i / 10;
      // The shape is squarer than an ellipse.
      const double c = std::cos(angle), s = std::sin(angle);
      const double square = 1 / std::pow(std::pow(std::abs(c), 4) + std::pow(std::abs(s), 4), 0.25);
      outline.push_back(at(middle + grow * square * c * (to - from) / 2, 0,
                           away + grow * square * s * (farAway - nearAway) / 2));
    }
    stage_.brush.fill(outline, Colour(0.03, 0.03, 0.03), 0.19);
  }
}

namespace {

constexpr double kNearest = 4;  // metres; what falls closer lies below the picture
constexpr int kShift = 3;       // of OpenCV's sub-pixel coordinates

struct ShadowPainter {
  const View& view;
  cv::Point2d step;  // of a metre of height
  cv::Mat& shadow;

  cv::Point2d fallen(double x, double y, double z) const {
    const cv::Point2d ground(x + step.x * y, std::max(z + step.y * y, kNearest));
    return view.at(ground.x, 0, ground.y);
  }

  void fill(const Outline& outline, int strength) const {
    std::vector<cv::Point> points;
    for (const cv::Point2d& p : outline) {
      if (std::abs(p.x) > 1e5 || std::abs(p.y) > 1e5) return;
      points.emplace_back(cvRound((p.x / 2 - 0.5) * (1 << kShift)),
                          cvRound((p.y / 2 - 0.5) * (1 << kShift)));
    }
    std::vector<cv::Point> hull;
    cv::convexHull(points, hull);
    cv::fillConvexPoly(shadow, hull, cv::Scalar::all(strength), cv::LINE_8, kShift);
  }

  void block(double left, double right, double nearZ, double farZ, double low, double high,
             int strength) const {
    Outline corners;
    for (const double x : {left, right}) {
      for (const double z : {nearZ, farZ}) {
        for (const double y : {low, high}) corners.push_back(fallen(x, y, z));
      }
    }
    fill(corners, strength);
  }

  void ball(double x, double y, double z, double radius, double half, int strength) const {
    const double length = std::hypot(step.x, step.y);
    const cv::Point2d way = length > 1e-6 ? step / length : cv::Point2d(1, 0), aside(-way.y, way.x);
    const double along = std::hypot(radius, half * length);
    Outline outline;
    for (int i = 0; i < 18; ++i) {
      const double angle = CV_PI * i / 9;
      const cv::Point2d ground = cv::Point2d(x, z) + step * y + way * (along * std::cos(angle)) +
                                 aside * (radius * std::sin(angle));
      outline.push_back(view.at(ground.x, 0, std::max(ground.y, kNearest)));
    }
    fill(outline, strength);
  }
};

}  // namespace

void drawShadows(const Layout& layout, const Lighting& lighting, const Traffic& traffic,
                 cv::Mat& shadow) {
  const cv::Size size = layout.view.size;
  shadow.create((size.height + 1) / 2, (size.width + 1) / 2, CV_8U);
  shadow.setTo(0);
  const ShadowPainter painter{layout.view, lighting.shadowStep(), shadow};
  for (const Building& b : layout.buildings) {
    painter.block(b.left, b.right, b.front, b.front + b.deep, 0, b.height(), 235);
  }
  for (const Stretch& hedge : layout.hedges) {
    painter.block(hedge.left, hedge.right, layout.pavementEnd + 0.35, layout.pavementEnd + 1.1, 0,
                  layout.hedgeHeight, 235);
  }
  for (const Tree& tree : layout.trees) {
    const double half = tree.kind == TreeKind::round ? tree.crown : 0.42 * tree.height;
    painter.block(tree.x - 0.15, tree.x + 0.15, tree.z, tree.z + 0.2, 0, 0.5 * tree.height, 220);
    painter.ball(tree.x, tree.height - half, tree.z, tree.crown * 0.95, half, 205);
  }
  for (const Lamp& lamp : layout.lamps) {
    const double half = lamp.thickness / 2;
    painter.block(lamp.x - half, lamp.x + half, lamp.z - half, lamp.z + half, 0, lamp.height, 220);
  }
  for (const Car& car : traffic.cars) {
    const cv::Point2d measures = measuresOf(car);
    painter.block(car.x - measures.x / 2, car.x + measures.x / 2, car.z, car.z + 1.7, 0,
                  0.65 * measures.y, 235);
    painter.block(car.x - measures.x / 4, car.x + measures.x / 4, car.z + 0.15, car.z + 1.5, 0,
                  measures.y, 235);
  }
  for (const Walker& walker : traffic.walkers) {
    painter.ball(walker.x, 0.85 * walker.size, walker.z, 0.2, 0.85 * walker.size, 225);
  }
  for (const Rider& rider : traffic.riders) {
    painter.block(rider.x - 0.85, rider.x + 0.85, rider.z - 0.04, rider.z + 0.04, 0, 0.7, 150);
    painter.ball(rider.x, 1.25, rider.z, 0.2, 0.5, 225);
  }
  const int soft = std::max(1, cvRound(1.5 * layout.view.unit)) * 2 + 1;
  cv::blur(shadow, shadow, {soft, soft});
}

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

// Adds a soft spot, `tall` times as high as wide, optionally on the ground alone.
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

// Adds headlights on the road: a fan that starts at (x, z).
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

// Draws a light's reflection on a wet road, stretched towards the camera.
void mirror(const Stage& stage, cv::Point2d foot, double height, double radius,
            const Colour& light) {
  const double wet = std::min(1.0, 1.6 * stage.lighting.weather().rain);
  if (wet <= 0.02) return;
  addSpot(stage, foot + cv::Point2d(0, 0.7 * height), radius, 0.75 * height / radius, light * wet,
          true);
}

}  // namespace

// Reflects still objects in a wet road: upside down below the houses' feet, smeared towards the
// camera, at half the size.
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
