// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/cloud_noise.h"

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

}  // namespace

cv::Mat cloudNoise(const Chance& chance) {
  cv::Mat noise = cv::Mat::zeros(kRows, kColumns, CV_32F);
  addOctave(noise, chance.stream(0), 32, 16, 0.46F);
  addOctave(noise, chance.stream(1), 16, 8, 0.28F);
  addOctave(noise, chance.stream(2), 8, 4, 0.16F);
  addOctave(noise, chance.stream(3), 4, 2, 0.10F);
  return noise;
}

}  // namespace mpm::scenes
