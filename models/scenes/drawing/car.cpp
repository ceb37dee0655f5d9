// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <vector>

#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/traffic.h"

namespace mpm::scenes {
namespace {

enum class Part { paint, glass, nose, tail };

// A car's side in metres: x ahead of its middle, y up. Its top goes from the rear bumper over the
// roof to the front one; `parts` names what lies between consecutive points.
struct CarShape {
  Outline top;
  std::vector<Part> parts;
  std::vector<Outline> panes;
  double length, height, belt, frontWheel, rearWheel, wheelRadius;
};

// Hatchback, saloon, estate, off-roader, van.
constexpr int kCarShapes = 5;

constexpr Part P = Part::paint, G = Part::glass, N = Part::nose, T = Part::tail;

CarShape hatchback() {
  return {{{-1.90, 0.30},
           {-1.95, 0.55},
           {-1.90, 0.90},
           {-1.60, 1.36},
           {-1.35, 1.46},
           {-0.55, 1.50},
           {0.15, 1.46},
           {0.95, 0.98},
           {1.55, 0.86},
           {1.86, 0.70},
           {1.94, 0.50},
           {1.90, 0.28}},
          {T, T, G, P, P, P, G, P, P, N, N},
          {{{-1.62, 0.96}, {-1.42, 1.32}, {-0.62, 1.40}, {-0.62, 0.94}},
           {{-0.52, 0.94}, {-0.52, 1.40}, {0.10, 1.37}, {0.72, 0.97}}},
          3.9,
          1.5,
          0.92,
          1.22,
          -1.22,
          0.33};
}

CarShape saloon() {
  return {{{-2.08, 0.30},
           {-2.12, 0.58},
           {-2.05, 0.88},
           {-1.50, 0.98},
           {-0.95, 1.38},
           {-0.60, 1.44},
           {0.20, 1.43},
           {0.95, 0.97},
           {1.70, 0.85},
           {2.02, 0.70},
           {2.10, 0.50},
           {2.06, 0.28}},
          {T, T, P, G, P, P, G, P, P, N, N},
          {{{-1.32, 0.97}, {-0.86, 1.33}, {-0.45, 1.36}, {-0.45, 0.94}},
           {{-0.35, 0.94}, {-0.35, 1.36}, {0.14, 1.34}, {0.74, 0.96}}},
          4.2,
          1.44,
          0.92,
          1.32,
          -1.32,
          0.33};
}

CarShape estate() {
  return {{{-2.06, 0.30},
           {-2.10, 0.60},
           {-2.06, 0.95},
           {-1.82, 1.38},
           {-1.60, 1.47},
           {-0.60, 1.50},
           {0.20, 1.46},
           {1.00, 0.98},
           {1.66, 0.86},
           {2.00, 0.70},
           {2.08, 0.50},
           {2.04, 0.28}},
          {T, T, G, P, P, P, G, P, P, N, N},
          {{{-1.82, 1.00}, {-1.66, 1.36}, {-1.10, 1.40}, {-1.10, 0.96}},
           {{-1.00, 0.96}, {-1.00, 1.40}, {-0.42, 1.40}, {-0.42, 0.95}},
           {{-0.32, 0.95}, {-0.32, 1.40}, {0.14, 1.37}, {0.78, 0.97}}},
          4.15,
          1.5,
          0.93,
          1.30,
          -1.30,
          0.33};
}

CarShape offRoader() {
  return {{{-1.98, 0.40},
           {-2.04, 0.70},
           {-2.00, 1.08},
           {-1.82, 1.58},
           {-1.55, 1.68},
           {-0.50, 1.70},
           {0.25, 1.66},
           {0.92, 1.16},
           {1.60, 1.06},
           {1.94, 0.92},
           {2.02, 0.62},
           {1.98, 0.38}},
          {T, T, G, P, P, P, G, P, P, N, N},
          {{{-1.72, 1.14}, {-1.60, 1.54}, {-1.02, 1.58}, {-1.02, 1.12}},
           {{-0.92, 1.12}, {-0.92, 1.58}, {-0.36, 1.59}, {-0.36, 1.11}},
           {{-0.26, 1.11}, {-0.26, 1.59}, {0.20, 1.56}, {0.70, 1.14}}},
          4.05,
          1.7,
          1.09,
          1.26,
          -1.26,
          0.38};
}

CarShape van() {
  return {{{-2.12, 0.34},
           {-2.16, 0.70},
           {-2.14, 1.20},
           {-2.08, 1.86},
           {-1.95, 1.96},
           {-0.60, 1.98},
           {0.95, 1.92},
           {1.50, 1.24},
           {1.95, 1.05},
           {2.12, 0.85},
           {2.16, 0.55},
           {2.12, 0.32}},
          {T, T, T, P, P, P, G, P, P, N, N},
          {{{0.18, 1.16}, {0.18, 1.76}, {0.80, 1.75}, {1.22, 1.20}}},
          4.3,
          1.98,
          1.1,
          1.38,
          -1.32,
          0.35};
}

const CarShape& carShape(int kind) {
  static const std::array<CarShape, kCarShapes> shapes = {hatchback(), saloon(), estate(),
                                                          offRoader(), van()};
  return shapes[static_cast<std::size_t>(kind)];
}

constexpr double kWidth = 1.66;  // metres
const Colour kGlass = rgb(0x2C3844), kTyre = rgb(0x1E2022);

const CarShape& shapeOf(const Car& car) {
  const double pick = car.chance.uniform(0);
  return carShape(pick < 0.3 ? 0 : pick < 0.52 ? 1 : pick < 0.7 ? 2 : pick < 0.88 ? 3 : 4);
}

Colour paintOf(const Car& car) {
  constexpr std::array<unsigned, 14> kPaint = {0xE9EAEA, 0xD5D8DB, 0xA9AEB3, 0x5A6066, 0x2A2E33,
                                               0x1F3F74, 0x2F6DB0, 0xB4262B, 0x8C1F2A, 0x2E5F46,
                                               0xD9B23C, 0xC7602B, 0x6FA3B8, 0xB9A88A};
  const Colour paint = rgb(kPaint[car.chance.below(1, 14)]);
  return paint * car.chance.between(2, 0.9, 1.08);
}

struct CarPainter {
  Figure figure;
  const CarShape& shape;
  Colour paint;
  const Car& car;

  // Sides lean in above the belt.
  double lean(double up) const {
    return up <= shape.belt ? 0 : 0.2 * (up - shape.belt) / (shape.height - shape.belt);
  }
  cv::Point2d nearSide(cv::Point2d p) const { return figure.at(p.x, p.y, lean(p.y)); }
  cv::Point2d farSide(cv::Point2d p) const { return figure.at(p.x, p.y, kWidth - lean(p.y)); }
  Outline side(const Outline& outline) const {
    Outline seen;
    seen.reserve(outline.size());
    for (const cv::Point2d& p : outline) seen.push_back(nearSide(p));
    return seen;
  }
  Facing ahead() const { return figure.direction() > 0 ? Facing::right : Facing::left; }
  Facing behind() const { return figure.direction() > 0 ? Facing::left : Facing::right; }

  // Draws the visible surface across the car between two points of its top.
  void across(std::size_t i) const {
    const cv::Point2d a = shape.top[i], b = shape.top[i + 1];
    const Outline quad = {nearSide(a), nearSide(b), farSide(b), farSide(a)};
    double turn = 0;
    for (std::size_t k = 0; k < 4; ++k) turn += quad[k].cross(quad[(k + 1) % 4]);
    if (turn * figure.direction() > 0) return;
    const double steep = std::abs(b.y - a.y) / std::hypot(b.x - a.x, b.y - a.y);
    const Part part = shape.parts[i];
    const bool front = b.x > 0.2;
    if (part == Part::glass) {
      const Colour sky = figure.stage().lighting.light().zenith;
      figure.paint(quad, figure.lit(kGlass, Facing::slope) * 0.75 + sky * 0.22);
    } else if (part == Part::paint) {
      const double snow = car.parked && steep < 0.5 ? 0.9 : 0;
      figure.paint(quad, figure.lit(paint * (1.06 - 0.2 * steep), Facing::up, snow));
    } else {
      figure.fill(quad, paint * 0.85, front ? ahead() : behind());
    }
  }

  void sidePanels() const {
    Outline low = shape.top;
    const double sill = 0.24;
    low.emplace_back(shape.frontWheel + 0.42, sill);
    low.emplace_back(shape.rearWheel - 0.42, sill);
    figure.fill(side(low), paint, Facing::front);
    // The side is darker below, where it faces the road, with a light edge where it faces up.
    const double end = shape.length / 2;
    figure.paint(side({{-end, 0.3},
                       {-end + 0.02, 0.48},
                       {end - 0.02, 0.48},
                       {end - 0.04, 0.3},
                       {shape.frontWheel + 0.42, sill},
                       {shape.rearWheel - 0.42, sill}}),
                 figure.lit(paint * 0.45), 0.6);
    figure.paint(side({{-end + 0.08, shape.belt - 0.05},
                       {-end + 0.1, shape.belt},
                       {end * 0.55, shape.belt - 0.02},
                       {end * 0.55, shape.belt - 0.06}}),
                 figure.lit(Colour(1, 1, 1), Facing::up), 0.35);
    const Colour joint = figure.lit(paint * 0.45, Facing::front);
    for (const double x : {-0.47, 0.62}) {
      figure.paint(side(box(x - 0.012, 0.34, x + 0.012, shape.belt)), joint, 0.8);
    }
    figure.paint(side(box(-0.34, shape.belt - 0.14, -0.14, shape.belt - 0.1)), joint, 0.9);
  }

  void windows() const {
    const Colour sky = figure.stage().lighting.light().zenith;
    const Colour glass = figure.lit(kGlass, Facing::front) * 0.8 + sky * 0.1;
    for (const Outline& pane : shape.panes) figure.paint(side(pane), glass);
    if (!car.parked) {  // who drives
      const double x = shape.panes.back()[0].x + 0.3;
      figure.fill(circle(nearSide({x, shape.belt + 0.2}), 0.12 * figure.metre()), rgb(0x5A4238));
      figure.fill(side(box(x - 0.2, shape.belt + 0.02, x + 0.14, shape.belt + 0.1)), rgb(0x2A2C34));
    }
    for (const Outline& pane : shape.panes) {  // the sky slants across
      const double left = pane[0].x, right = pane[3].x, low = pane[0].y, high = pane[1].y;
      const double from = left + 0.45 * (right - left);
      figure.paint(side({{from, low},
                         {from + 0.12, high - 0.03},
                         {from + 0.26, high - 0.03},
                         {from + 0.14, low}}),
                   sky, 0.22);
    }
  }

  void wheel(double x) const {
    const double r = shape.wheelRadius, metre = figure.metre();
    const cv::Point2d hub = figure.at(x, r);
    figure.fill(circle(figure.at(x, r + 0.03), (r + 0.06) * metre), rgb(0x141517));
    figure.fill(circle(hub, r * metre), kTyre);
    figure.fill(circle(hub, 0.66 * r * metre), rgb(0xA5ABB0) * car.chance.between(4, 0.7, 1.1));
    const double turn = car.travelled / r * figure.direction();
    for (int spoke = 0; spoke < 5; ++spoke) {
      const double angle = turn + 2 * CV_PI * spoke / 5;
      const cv::Point2d rim(std::cos(angle), std::sin(angle));
      figure.fill(stroke(hub + rim * (0.22 * r * metre), hub + rim * (0.56 * r * metre),
                         0.1 * metre * r / 0.33, 0.16 * metre * r / 0.33),
                  rgb(0x3A3E42));
    }
    figure.fill(circle(hub, 0.14 * r * metre), rgb(0x6A7076));
  }

  void lights() const {
    const double end = shape.length / 2, up = shape.belt - 0.2;
    const double on = car.parked ? 0 : figure.stage().lighting.glow();
    const Colour white = mixed(figure.lit(rgb(0xE8ECEC)), figure.glowing(rgb(0xFFF6DC)), on);
    const Colour red = mixed(figure.lit(rgb(0xA3201C)), figure.glowing(rgb(0xFF3A28)), on);
    figure.paint(side({{end - 0.42, up},
                       {end - 0.36, up + 0.08},
                       {end - 0.1, up + 0.03},
                       {end - 0.05, up - 0.1},
                       {end - 0.16, up - 0.12}}),
                 white);
    figure.paint(side({{-end + 0.02, up + 0.12},
                       {-end + 0.2, up + 0.1},
                       {-end + 0.24, up - 0.08},
                       {-end, up - 0.08}}),
                 red);
    for (const double away : {0.2, kWidth - 0.2}) {  // where an end of the car can be seen
      const bool frontSeen = frontShows();
      const double x = frontSeen ? end - 0.04 : -end + 0.01, high = frontSeen ? up - 0.06 : up;
      if (!frontSeen && !backShows()) break;
      figure.paint({figure.at(x, high + 0.09, away - 0.15), figure.at(x, high + 0.09, away + 0.15),
                    figure.at(x, high - 0.07, away + 0.15), figure.at(x, high - 0.07, away - 0.15)},
                   frontSeen ? white : red);
    }
  }

  bool frontShows() const {
    const double end = shape.length / 2;
    return (figure.at(end, 0.6, kWidth).x - figure.at(end, 0.6).x) * figure.direction() > 0.5;
  }
  bool backShows() const {
    const double end = -shape.length / 2;
    return (figure.at(end, 0.6, kWidth).x - figure.at(end, 0.6).x) * figure.direction() < -0.5;
  }
};

}  // namespace

cv::Point2d measuresOf(const Car& car) { return {shapeOf(car).length, shapeOf(car).height}; }

void drawCar(const Stage& stage, const Car& car) {
  const CarShape& shape = shapeOf(car);
  const CarPainter painter{Figure(stage, car.x, car.z, car.direction), shape, paintOf(car), car};
  const double end = shape.length / 2;
  painter.figure.contactShadow(-end + 0.05, end - 0.05, -0.06, kWidth + 0.1);
  stage.brush.begin(Class::car);
  // Draws the dark underside.
  painter.figure.fill(
      {painter.figure.at(-end + 0.15, 0.3), painter.figure.at(end - 0.15, 0.3),
       painter.figure.at(end - 0.25, 0.1, 0.2), painter.figure.at(-end + 0.25, 0.1, 0.2)},
      rgb(0x101112));
  for (std::size_t i = 0; i + 1 < shape.top.size(); ++i) painter.across(i);
  painter.sidePanels();
  painter.windows();
  painter.wheel(shape.rearWheel);
  painter.wheel(shape.frontWheel);
  painter.lights();
  stage.brush.end();
}

}  // namespace mpm::scenes
