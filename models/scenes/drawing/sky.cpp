// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/sky.h"

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "models/scenes/curve.h"

namespace mpm::scenes {
namespace {

constexpr int kColumns = 256, kRows = 128;

void addOctave(cv::Mat& noise, const Chance& chance, int cellWidth, int cellHeight, float weight) {
  const int across = kColumns / cellWidth;
  for (int y = 0; y < kRows; ++y) {
    const int row = y / cellHeight;
    const double t = smoothStep(0, cellHeight, y % cellHeight);
    float* out = noise.ptr<float>(y);
    const auto corner = [&](int column, int line) {
      return chance.uniform(static_cast<std::uint64_t>(line * across + column % across));
    };
    for (int column = 0; column < across; ++column) {
      const double left = mixed(corner(column, row), corner(column, row + 1), t);
      const double right = mixed(corner(column + 1, row), corner(column + 1, row + 1), t);
      for (int x = 0; x < cellWidth; ++x) {
        const double value = mixed(left, right, smoothStep(0, cellWidth, x));
        out[column * cellWidth + x] += weight * static_cast<float>(value);
      }
    }
  }
}

// CV_32F, 256 x 128, from 0 to 1 with 0.5 in the middle: noise of several sizes on top of each
// other, as clouds have it. Its left and right side meet.
cv::Mat cloudNoise(const Chance& chance) {
  cv::Mat noise = cv::Mat::zeros(kRows, kColumns, CV_32F);
  addOctave(noise, chance.stream(0), 32, 16, 0.46F);
  addOctave(noise, chance.stream(1), 16, 8, 0.28F);
  addOctave(noise, chance.stream(2), 8, 4, 0.16F);
  addOctave(noise, chance.stream(3), 4, 2, 0.10F);
  return noise;
}

constexpr int kGrid = 4, kDither = 64;

// 1 in the middle, 0 from `radius` on.
double halo(cv::Point2d way, double radius) {
  const double t = 1 - way.dot(way) / (radius * radius);
  return t > 0 ? t * t * t : 0;
}

}  // namespace

Sky::Sky(const Layout& layout) : view_(layout.view), noise_(cloudNoise(layout.chance.stream(90))) {
  Draw draw(layout.chance.stream(91));
  drift_ = draw.between(0.10, 0.22);
  for (int i = 0; i < 150; ++i) {
    const double weak = draw.uniform();
    stars_.push_back({{draw.uniform() * view_.size.width, draw.uniform() * view_.horizon},
                      0.25 + 0.75 * weak * weak * weak,
                      draw.between(0, 6.28)});
  }
  const Chance chance = layout.chance.stream(92);
  dither_.create(kDither, kDither, CV_16S);
  for (int i = 0; i < kDither * kDither; ++i) {
    dither_.at<short>(i / kDither, i % kDither) = static_cast<short>(chance.below(i, 64));
  }
}

Sky::Disc Sky::discAt(double height, double side, double radius) const {
  return {{view_.centreX + 0.44 * side * view_.size.width, view_.horizon * (0.92 - 1.25 * height)},
          radius * view_.unit,
          height};
}

double Sky::cloudAt(double x, double y) const {
  const int columns = noise_.cols, rows = noise_.rows;
  const double left = std::floor(x), top = std::floor(y);
  const int x0 = static_cast<int>(left - columns * std::floor(left / columns));
  const int y0 = std::clamp(static_cast<int>(top), 0, rows - 2);
  const int x1 = x0 + 1 == columns ? 0 : x0 + 1;
  const float *a = noise_.ptr<float>(y0), *b = noise_.ptr<float>(y0 + 1);
  const double s = x - left, t = std::clamp(y - y0, 0.0, 1.0);
  return (a[x0] * (1 - s) + a[x1] * s) * (1 - t) + (b[x0] * (1 - s) + b[x1] * s) * t;
}

void Sky::workOut(const Lighting& lighting, double time, int rows) {
  const Light& light = lighting.light();
  const double clouds = std::clamp(lighting.weather().clouds, 0.0, 1.0),
               fog = lighting.weather().fog;
  const double from = mixed(0.82, 0.12, std::pow(clouds, 0.8));
  const Colour bright = light.ambient * 0.7 + light.direct * 0.85 + light.horizon * 0.17;
  const Colour dark = light.ambient * 0.6 + light.horizon * 0.1 + light.direct * 0.1;
  const Disc sun = discAt(light.sunHeight, light.sunSide, 1),
             moon = discAt(light.moonHeight, light.moonSide, 1);
  const double sunGlow = light.sunHeight > -0.15 ? brightness(light.direct) + 0.1 : 0;
  const Colour sunColour =
      light.direct + Colour(0.02, 0.06, 0.1) * smoothStep(-0.15, 0.05, light.sunHeight);
  const double moonGlow = light.moonHeight > 0 ? 0.25 * lighting.night() *
                                                     smoothStep(0.02, -0.1, -0.0 + light.sunHeight)
                                               : 0;
  const double gloom = 0.2 + 0.6 * clouds;
  coarse_.create(rows / kGrid + 2, view_.size.width / kGrid + 2, CV_16UC3);
  covered_.create(coarse_.size(), CV_32F);
  for (int y = 0; y < coarse_.rows; ++y) {
    const double row = (y + 0.5) * kGrid, share = std::clamp(row / view_.horizon, 0.0, 1.0);
    const Colour base = mixed(light.zenith, light.horizon, std::pow(share, 1.25));
    // Farther clouds, lower down, are smaller and closer.
    const double far = 1 / (1.25 - 0.85 * share), v = 14 + 34 * far;
    const double edge = mixed(0.3, 0.2, share);
    for (int x = 0; x < coarse_.cols; ++x) {
      const cv::Point2d at((x + 0.5) * kGrid, row);
      Colour colour = base;
      colour += sunColour * (sunGlow * (0.55 * halo(at - sun.at, 190 * view_.unit) +
                                        0.2 * halo(at - sun.at, 420 * view_.unit)));
      colour += Colour(0.9, 0.85, 0.75) * (moonGlow * halo(at - moon.at, 110 * view_.unit));
      const double u = (at.x - view_.centreX) / view_.unit * 0.16 * far + 128 - drift_ * time;
      const double n = cloudAt(u, v);
      const double cover = smoothStep(from, from + edge, n) * (1 - 0.8 * fog);
      const double thick = smoothStep(from + 0.05, from + 0.5, n);
      colour = mixed(colour, mixed(bright, dark, gloom * thick), 0.92 * cover);
      colour = mixed(colour, light.horizon, 0.85 * fog);
      cv::Vec3w& out = coarse_.at<cv::Vec3w>(y, x);
      for (int c = 0; c < 3; ++c) {
        out[c] = static_cast<std::uint16_t>(std::clamp(colour[c], 0.0, 1.0) * 255 * 64);
      }
      covered_.at<float>(y, x) = static_cast<float>(std::max(cover, fog));
    }
  }
}

void Sky::enlarge(int rows, cv::Mat& canvas) const {
  for (int y = 0; y < rows; ++y) {
    const std::uint16_t* in = fine_.ptr<std::uint16_t>(y);
    const short* noise = dither_.ptr<short>(y % kDither);
    std::uint8_t* out = canvas.ptr(y);
    for (int x = 0; x < canvas.cols; ++x, in += 3, out += 4) {
      const int add = noise[x % kDither];
      for (int c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>((in[c] + add) >> 6);
      out[3] = 255;
    }
  }
}

double Sky::clear(cv::Point2d at) const {
  const int x = std::clamp(static_cast<int>(at.x / kGrid), 0, covered_.cols - 1);
  const int y = std::clamp(static_cast<int>(at.y / kGrid), 0, covered_.rows - 1);
  return 1 - covered_.at<float>(y, x);
}

void Sky::drawStars(const Lighting& lighting, double time, cv::Mat& canvas) const {
  const double stars = lighting.light().stars;
  if (stars <= 0.01) return;
  for (const Star& star : stars_) {
    const double twinkle = 0.8 + 0.2 * std::sin(5 * time + star.phase);
    const double strength = stars * star.brightness * twinkle * clear(star.at) * clear(star.at);
    const int size = std::max(1, cvRound((star.brightness > 0.7 ? 2 : 1) * view_.unit));
    const cv::Rect area(cv::Point(star.at), cv::Size(size, size));
    for (int y = area.y; y < std::min(area.y + area.height, canvas.rows); ++y) {
      for (int x = area.x; x < std::min(area.x + area.width, canvas.cols); ++x) {
        cv::Vec4b& pixel = canvas.at<cv::Vec4b>(y, x);
        for (int c = 0; c < 3; ++c)
          pixel[c] = cv::saturate_cast<std::uint8_t>(pixel[c] + 150 * strength);
      }
    }
  }
}

void Sky::drawDiscs(const Lighting& lighting, Brush& brush) const {
  const Light& light = lighting.light();
  if (light.sunHeight > -0.08) {
    const Disc sun = discAt(light.sunHeight, light.sunSide, 16);
    const double overcast = smoothStep(0.6, 0.9, lighting.weather().clouds);
    const double seen = clear(sun.at) * 0.95 * (1 - overcast);
    const Colour colour =
        mixed(Colour(0.45, 0.72, 1), Colour(0.9, 0.98, 1), smoothStep(0, 0.3, light.sunHeight));
    brush.fill(circle(sun.at, sun.radius), colour, seen);
  }
  if (light.moonHeight > -0.08) {
    const Disc moon = discAt(light.moonHeight, light.moonSide, 15);
    const double seen = clear(moon.at) * smoothStep(0.25, 0.75, 0.35 + 0.65 * lighting.night());
    const double r = moon.radius;
    brush.fill(circle(moon.at, r), rgb(0xF2EEDD), seen);
    brush.fill(circle(moon.at + cv::Point2d(-0.3, -0.25) * r, 0.26 * r), rgb(0xD2CCB8), 0.7 * seen);
    brush.fill(circle(moon.at + cv::Point2d(0.28, 0.1) * r, 0.2 * r), rgb(0xD2CCB8), 0.7 * seen);
    brush.fill(circle(moon.at + cv::Point2d(-0.12, 0.42) * r, 0.17 * r), rgb(0xD2CCB8), 0.7 * seen);
  }
}

void Sky::draw(const Lighting& lighting, double time, int rows, cv::Mat& canvas, Brush& brush) {
  workOut(lighting, time, rows);
  cv::resize(coarse_, fine_, coarse_.size() * kGrid, 0, 0, cv::INTER_LINEAR);
  enlarge(rows, canvas);
  drawStars(lighting, time, canvas);
  drawDiscs(lighting, brush);
}

}  // namespace mpm::scenes
