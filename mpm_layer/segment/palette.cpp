// SPDX-License-Identifier: Apache-2.0
#include "segment/facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mpm::segment {
namespace {

constexpr std::size_t kMost = 256;

struct Colour {
  cv::Vec3b bgr;
  std::array<double, 3> lab{};
};

double linear(double level) {
  return level <= 0.04045 ? level / 12.92 : std::pow((level + 0.055) / 1.055, 2.4);
}

double labCurve(double x) { return x > 0.008856 ? std::cbrt(x) : 7.787 * x + 16.0 / 116; }

// sRGB to CIELAB, white D65.
Colour colourOf(int red, int green, int blue) {
  const double r = linear(red / 255.0), g = linear(green / 255.0), b = linear(blue / 255.0);
  const double x = labCurve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const double y = labCurve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const double z = labCurve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  const auto byte = [](int level) { return static_cast<unsigned char>(level); };
  return {{byte(blue), byte(green), byte(red)}, {116 * y - 16, 500 * (x - y), 200 * (y - z)}};
}

double distance(const Colour& a, const Colour& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += (a.lab[i] - b.lab[i]) * (a.lab[i] - b.lab[i]);
  return sum;
}

std::vector<Colour> choice() {
  std::vector<Colour> colours;
  constexpr int kStep = 17;  // 16 levels of each, from 0 to 255
  for (int red = 0; red < 256; red += kStep) {
    for (int green = 0; green < 256; green += kStep) {
      for (int blue = 0; blue < 256; blue += kStep) colours.push_back(colourOf(red, green, blue));
    }
  }
  return colours;
}

}  // namespace

std::vector<cv::Vec3b> distinctColours(std::size_t count) {
  const std::vector<Colour> colours = choice();
  std::vector<double> nearest(colours.size(), std::numeric_limits<double>::max());
  const auto take = [&](const Colour& taken) {
    for (std::size_t i = 0; i < colours.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(colours[i], taken));
    }
  };
  take(colourOf(0, 0, 0)), take(colourOf(255, 255, 255));
  std::vector<cv::Vec3b> palette;
  for (std::size_t i = 0; i < std::min(count, kMost); ++i) {
    const auto furthest = std::max_element(nearest.begin(), nearest.end()) - nearest.begin();
    palette.push_back(colours[furthest].bgr);
    take(colours[furthest]);
  }
  while (palette.size() < count) palette.push_back(palette[palette.size() - kMost]);
  return palette;
}

}  // namespace mpm::segment
