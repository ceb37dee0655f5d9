// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "segment/labels.h"
#include "segment/taps.h"

namespace mpm::segment {
namespace {

double scoreAt(const Scores& scores, const ScoreGrid& grid, int y, int x, int k) {
  const auto classes = static_cast<std::size_t>(scores.classes);
  const std::size_t place = static_cast<std::size_t>(y) * scores.gridWidth + x;
  if (grid.layout == ScoreGrid::Layout::planes) {
    const std::size_t places = static_cast<std::size_t>(scores.gridHeight) * scores.gridWidth;
    return grid.scores[k * places + place];
  }
  const std::size_t row = grid.map == nullptr ? place : static_cast<std::size_t>(grid.map[place]);
  return grid.scores[row * classes + k];
}

// Interpolates a class at a pixel of one window; NaN if one of the four places is not finite.
double interpolated(const Scores& scores, const ScoreGrid& grid, const Tap& down, const Tap& across,
                    int k) {
  const double corners[4] = {scoreAt(scores, grid, down.first, across.first, k),
                             scoreAt(scores, grid, down.first, across.second, k),
                             scoreAt(scores, grid, down.second, across.first, k),
                             scoreAt(scores, grid, down.second, across.second, k)};
  for (const double corner : corners) {
    if (!std::isfinite(corner)) return std::numeric_limits<double>::quiet_NaN();
  }
  const double above = corners[0] + across.weight * (corners[1] - corners[0]);
  const double below = corners[2] + across.weight * (corners[3] - corners[2]);
  return above + down.weight * (below - above);
}

// Averages over the windows that contain the pixel.
std::vector<double> scoresAt(const Scores& scores, double y, double x) {
  std::vector<double> sums(static_cast<std::size_t>(scores.classes), 0);
  int windows = 0;
  for (std::size_t row = 0; row < scores.down.size(); ++row) {
    for (std::size_t column = 0; column < scores.across.size(); ++column) {
      if (!scores.down[row].holds(y) || !scores.across[column].holds(x)) continue;
      const Tap down = tapAt(scores.down[row].position(y, scores.gridHeight), scores.gridHeight);
      const Tap across =
          tapAt(scores.across[column].position(x, scores.gridWidth), scores.gridWidth);
      const ScoreGrid& grid = scores.grids[row * scores.across.size() + column];
      for (int k = 0; k < scores.classes; ++k) {
        sums[k] += interpolated(scores, grid, down, across, k);
      }
      ++windows;
    }
  }
  for (double& sum : sums) sum /= windows;
  return sums;
}

}  // namespace

void labelReference(const Scores& scores, const LabelImage& image) {
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::vector<double> values = scoresAt(scores, y + 0.5, x + 0.5);
      int best = -1;
      for (int k = 0; k < scores.classes; ++k) {
        if (std::isfinite(values[k]) && (best < 0 || values[k] > values[best])) best = k;
      }
      double sum = 0;
      for (const double value : values) {
        if (std::isfinite(value)) sum += std::exp(value - values[best]);
      }
      const std::size_t pixel = static_cast<std::size_t>(y) * image.width + x;
      const int label = best < 0 ? 0 : best;
      if (image.labels8 != nullptr) image.labels8[pixel] = static_cast<std::uint8_t>(label);
      if (image.labels16 != nullptr) image.labels16[pixel] = static_cast<std::uint16_t>(label);
      if (image.confidence != nullptr) {
        image.confidence[pixel] = best < 0 ? 0 : static_cast<float>(1 / sum);
      }
    }
  }
}

}  // namespace mpm::segment
