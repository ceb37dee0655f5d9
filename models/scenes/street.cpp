// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/street.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <random>

namespace mpm::scenes {
namespace {

using cv::Mat;
using cv::Point;
using cv::Rect;
using cv::Scalar;

constexpr int kSide = 512, kHorizon = 250, kPavement = 372, kRoad = 396;

// 1 by day, 0 by night, in between at dawn and dusk.
double daylight(double hour) {
  const double sun = std::sin((hour - 6) / 12 * CV_PI);
  return std::clamp(sun * 3 + 0.4, 0.0, 1.0);
}

Scalar blend(const Scalar& night, const Scalar& day, double light) {
  return night * (1 - light) + day * light;
}

Scalar lit(const Scalar& day, double light) { return blend(day * 0.16, day, light); }

void drawSky(Mat& frame, double hour, double light, std::mt19937& random) {
  const Scalar top = blend({38, 18, 10}, {226, 154, 84}, light);
  const double dusk = 4 * light * (1 - light);
  const Scalar low = blend(blend({66, 36, 26}, {248, 218, 178}, light), {96, 140, 240}, dusk);
  for (int y = 0; y < kHorizon; ++y)
    frame.row(y).setTo(blend(top, low, static_cast<double>(y) / kHorizon));
  if (light < 0.5) {
    for (int star = 0; star < 60 && light < 0.1; ++star) {
      const Point at(static_cast<int>(random() % kSide), static_cast<int>(random() % 170));
      cv::circle(frame, at, 1, Scalar::all(200), -1, cv::LINE_AA);
    }
    cv::circle(frame, {404, 66}, 22, {205, 228, 236}, -1, cv::LINE_AA);
  } else {
    const double way = (hour - 6) / 12;
    const Point sun(static_cast<int>(60 + 390 * way),
                    static_cast<int>(190 - 140 * std::sin(way * CV_PI)));
    cv::circle(frame, sun, 24, {170, 238, 255}, -1, cv::LINE_AA);
    for (const Point& cloud : {Point(120, 96), Point(310, 60), Point(410, 128)}) {
      for (int part = -2; part <= 2; ++part) {
        cv::ellipse(frame, cloud + Point(part * 17, std::abs(part) * 4), {24, 13}, 0, 0, 360,
                    {250, 247, 243}, -1, cv::LINE_AA);
      }
    }
  }
}

void drawHouses(Mat& frame, double light, std::mt19937& random) {
  const Scalar walls[] = {
      {132, 160, 196}, {150, 138, 128}, {96, 118, 172}, {168, 182, 190}, {120, 150, 128}};
  const int widths[] = {96, 120, 84, 116, 96};
  int left = 0;
  for (int house = 0; house < 5; ++house) {
    const int top = 118 + static_cast<int>(random() % 80);
    cv::rectangle(frame, Rect(left, top, widths[house], kPavement - top), lit(walls[house], light),
                  -1);
    cv::rectangle(frame, Rect(left, top, widths[house], 10), lit({70, 70, 130}, light), -1);
    for (int y = top + 26; y < kPavement - 40; y += 36) {
      for (int x = left + 14; x + 18 < left + widths[house]; x += 30) {
        const bool lampOn = light < 0.6 && random() % 5 < 2;
        const Scalar glass = lampOn ? Scalar(120, 206, 250) : lit({150, 124, 96}, light);
        cv::rectangle(frame, Rect(x, y, 18, 22), glass, -1);
      }
    }
    left += widths[house];
  }
}

void drawStreet(Mat& frame, double light) {
  cv::rectangle(frame, Rect(0, kPavement, kSide, kRoad - kPavement), lit({166, 170, 172}, light),
                -1);
  cv::rectangle(frame, Rect(0, kRoad, kSide, kSide - kRoad), lit({84, 82, 80}, light), -1);
  for (int x = 10; x < kSide; x += 74) {
    cv::rectangle(frame, Rect(x, 452, 40, 6), lit({220, 226, 228}, light), -1);
  }
  for (const int x : {62, 250, 452}) {  // trees
    cv::rectangle(frame, Rect(x - 4, 316, 9, 62), lit({46, 66, 92}, light), -1);
    for (const Point& leaf : {Point(-18, 306), Point(18, 304), Point(0, 284), Point(0, 310)}) {
      cv::circle(frame, Point(x + leaf.x, leaf.y), 24, lit({64, 138, 76}, light), -1, cv::LINE_AA);
    }
  }
  for (const auto& [x, colour] :
       {std::pair{110, Scalar(60, 60, 200)}, {330, Scalar(190, 130, 60)}}) {
    cv::rectangle(frame, Rect(x, 416, 96, 26), lit(colour, light), -1);
    cv::rectangle(frame, Rect(x + 20, 398, 54, 22), lit(colour * 0.8, light), -1);
    cv::rectangle(frame, Rect(x + 26, 402, 42, 14), lit({190, 170, 140}, light), -1);
    for (const int wheel : {20, 76}) {
      cv::circle(frame, {x + wheel, 444}, 10, lit({40, 40, 40}, light), -1, cv::LINE_AA);
    }
    if (light < 0.5) cv::circle(frame, {x + 94, 428}, 5, {190, 240, 255}, -1, cv::LINE_AA);
  }
}

void drawLamps(Mat& frame, double light) {
  for (const int x : {160, 372}) {
    cv::rectangle(frame, Rect(x - 2, 270, 5, 110), lit({90, 90, 90}, light), -1);
    if (light > 0.6) {
      cv::circle(frame, {x, 268}, 7, {200, 206, 206}, -1, cv::LINE_AA);
      continue;
    }
    Mat glow = Mat::zeros(frame.size(), frame.type());
    cv::circle(glow, {x, 268}, 60, Scalar(44, 84, 108) * (1 - light), -1, cv::LINE_AA);
    cv::GaussianBlur(glow, glow, {}, 26);
    frame += glow;
    cv::circle(frame, {x, 268}, 7, {200, 240, 255}, -1, cv::LINE_AA);
  }
}

void addSensorNoise(Mat& frame, double light, std::mt19937& random) {
  const double photons = 4 + 60 * light;  // that one step of brightness stands for, by exposure
  std::normal_distribution<double> reading(0, 0.6 + 2.2 * (1 - light));
  for (int i = 0; i < static_cast<int>(frame.total()) * 3; ++i) {
    std::uint8_t& value = frame.ptr()[i];
    const double shot =
        value == 0 ? 0 : std::poisson_distribution<int>(value * photons / 8)(random) * 8 / photons;
    value = cv::saturate_cast<std::uint8_t>(shot + reading(random));
  }
}

}  // namespace

cv::Mat street(double hour) {
  std::mt19937 random(7);
  const double light = daylight(hour);
  Mat frame(kSide, kSide, CV_8UC3);
  frame.setTo(lit({120, 150, 140}, light));
  drawSky(frame, hour, light, random);
  random.seed(5);  // the houses and their lights stay whatever the sky drew
  drawHouses(frame, light, random);
  drawStreet(frame, light);
  drawLamps(frame, light);
  addSensorNoise(frame, light, random);
  return frame;
}

}  // namespace mpm::scenes
