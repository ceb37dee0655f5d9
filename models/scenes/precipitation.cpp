// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/precipitation.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/scenes/chance.h"
#include "models/scenes/curve.h"

namespace mpm::scenes {
namespace {

using cv::Vec3d;

constexpr double kLeast = 0.02;                // of rain or snow, to be drawn
constexpr double kShutter = 1.0 / 60;          // seconds that a flake is seen for
constexpr double kNearest = 1, kFarthest = 8;  // in heights of the picture, or so

struct Point {
  double x, y;
};

// Something that fell from one point to another while the shutter was open.
struct Fall {
  Point from, to;
  double radius;   // pixels, where it is gone to half
  double opacity;  // 0 to 1, in its middle
};

class Painter {
 public:
  // `through`: the share of what is behind that comes on top of the colour.
  Painter(cv::Mat& picture, const Vec3d& colour, double through)
      : picture_(picture), colour_(colour * 255), through_(through) {}

  void draw(const Fall& fall) {
    const double reach = fall.radius + 0.5;
    const int top = std::max(0, static_cast<int>(std::ceil(fall.from.y - reach)));
    const int bottom = std::min(picture_.rows - 1, static_cast<int>(std::floor(fall.to.y + reach)));
    const double dx = fall.to.x - fall.from.x, dy = fall.to.y - fall.from.y;
    const double length2 = std::max(dx * dx + dy * dy, 1e-6), slant = dx / std::max(dy, 1e-3);
    const double spread = reach * std::hypot(1, slant);
    for (int y = top; y <= bottom; ++y) {
      const double middle = fall.from.x + slant * std::clamp(y - fall.from.y, 0.0, dy);
      const int left = std::max(0, static_cast<int>(std::ceil(middle - spread)));
      const int right = std::min(picture_.cols - 1, static_cast<int>(std::floor(middle + spread)));
      cv::Vec3b* row = picture_.ptr<cv::Vec3b>(y);
      for (int x = left; x <= right; ++x) {
        const double t =
            std::clamp(((x - fall.from.x) * dx + (y - fall.from.y) * dy) / length2, 0.0, 1.0);
        const double distance = std::hypot(x - fall.from.x - t * dx, y - fall.from.y - t * dy);
        const double share = std::clamp(reach - distance, 0.0, 1.0) * fall.opacity;
        if (share > 0) blend(row[x], share);
      }
    }
  }

 private:
  void blend(cv::Vec3b& pixel, double share) const {
    for (int c = 0; c < 3; ++c) {
      const double lit = std::min(255.0, colour_[c] + through_ * pixel[c]);
      pixel[c] = static_cast<std::uint8_t>(pixel[c] + (lit - pixel[c]) * share + 0.5);
    }
  }

  cv::Mat& picture_;
  Vec3d colour_;
  double through_;
};

// Distances such that every part of the air has as many.
double distanceOf(double uniform) {
  constexpr double kNear = kNearest * kNearest * kNearest;
  constexpr double kFar = kFarthest * kFarthest * kFarthest;
  return std::cbrt(mixed(kNear, kFar, uniform));
}

// The same in a small picture as in a large one.
int countOf(double most, cv::Size size) {
  return static_cast<int>(most * size.width / size.height);
}

double fraction(double x) { return x - std::floor(x); }

// No eye follows a drop from frame to frame: each frame has drops of its own.
void drawRain(Painter& painter, cv::Size size, const Weather& weather, const Chance& chance) {
  const int drops = countOf(1700 * weather.rain, size);
  const double lean = 0.03 + 0.38 * weather.wind;
  for (int i = 0; i < drops; ++i) {
    const Chance drop = chance.stream(static_cast<std::uint64_t>(i));
    const double distance = distanceOf(drop.uniform(0));
    const double length = size.height * 0.22 / distance * drop.between(1, 0.7, 1.2);
    const double slant = lean + drop.between(2, -0.03, 0.03);
    const double y = drop.uniform(3) * (size.height + length) - length;
    const double x = drop.uniform(4) * (size.width + slant * length) - slant * length;
    const double width = size.height * 0.0075 / distance;
    painter.draw({{x, y},
                  {x + slant * length, y + length},
                  std::max(0.0, width / 2 - 0.5),
                  std::min(1.0, width) * drop.between(5, 0.25, 0.6) / std::max(1.0, 0.6 * width)});
  }
}

// Flakes fall through the picture, and come back in another place.
void drawSnow(Painter& painter, cv::Size size, const Weather& weather, const Chance& chance,
              double seconds) {
  const int flakes = countOf(2300 * weather.snow, size);
  for (int i = 0; i < flakes; ++i) {
    const Chance flake = chance.stream(static_cast<std::uint64_t>(i));
    const double distance = distanceOf(flake.uniform(0));
    const double pace = size.height / distance;  // what is one metre or so
    const double speed = pace * flake.between(1, 0.7, 1.1), drift = pace * 1.6 * weather.wind;
    const double width = pace * 0.022 * flake.between(2, 0.6, 1.3);
    const double radius = std::max(0.25, width / 2 - 0.25);
    const double fallen = seconds * speed / (size.height + 4 * radius) + flake.uniform(3);
    const Chance place =
        flake.stream(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(fallen))));
    const double sway = 0.06 * pace * std::sin(seconds * flake.between(4, 1, 2.5) + i);
    const double y = fraction(fallen) * (size.height + 4 * radius) - 2 * radius;
    const double blown = drift * fraction(fallen) * (size.height / speed);
    const double x =
        fraction(place.uniform(0) + (blown + sway) / size.width) * (size.width + 4 * radius) -
        2 * radius;
    const double opacity = std::min(1.0, width) * std::clamp(1.05 - 0.06 * width, 0.5, 0.95);
    painter.draw({{x, y}, {x + drift * kShutter, y + speed * kShutter}, radius, opacity});
  }
}

// Drops too far away to be seen one by one.
void drawVeil(cv::Mat& picture, const Vec3d& colour, double share) {
  picture.convertTo(picture, -1, 1 - share);
  const Vec3d veil = colour * (255 * share);
  cv::add(picture, cv::Scalar(veil[0], veil[1], veil[2]), picture);
}

}  // namespace

void drawPrecipitation(cv::Mat& picture, const Light& light, const Weather& weather,
                       std::uint64_t seed, double seconds) {
  if (std::max(weather.rain, weather.snow) < kLeast) return;
  const Vec3d air = mixed(light.horizon, light.ambient, 0.5);
  drawVeil(picture, air, 0.10 * std::max(weather.rain, weather.snow));
  const Vec3d lamplight = Vec3d(0.6, 0.8, 0.95) * light.lamps;
  if (weather.rain >= kLeast) {
    Painter painter(picture, air * 0.78 + lamplight * 0.2, 0.45);
    const Chance chance(seed, 7500);
    drawRain(painter, picture.size(), weather,
             chance.stream(std::bit_cast<std::uint64_t>(seconds)));
  }
  if (weather.snow >= kLeast) {
    Painter painter(picture, light.ambient * 0.95 + light.direct * 0.5 + lamplight * 0.15, 0.7);
    drawSnow(painter, picture.size(), weather, Chance(seed, 7501), seconds);
  }
}

}  // namespace mpm::scenes
