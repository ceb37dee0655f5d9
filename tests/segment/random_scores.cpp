// SPDX-License-Identifier: Apache-2.0
#include "segment/random_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tolerances.h"

namespace mpm::test {

using segment::ScoreGrid;
using segment::Span;

OwnedScores randomScores(const ScoreShape& shape, const std::vector<Span>& across,
                         const std::vector<Span>& down, double spread, std::uint32_t seed) {
  OwnedScores owned;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, static_cast<float>(spread));
  const int places = shape.gridWidth * shape.gridHeight;
  const int rows = shape.live > 0 ? shape.live : places;
  owned.scores.classes = shape.classes;
  owned.scores.gridWidth = shape.gridWidth, owned.scores.gridHeight = shape.gridHeight;
  owned.scores.across = across, owned.scores.down = down;
  for (std::size_t window = 0; window < across.size() * down.size(); ++window) {
    std::vector<float> values(static_cast<std::size_t>(rows) * shape.classes);
    for (float& value : values) value = normal(random);
    std::vector<std::int32_t> map(shape.live > 0 ? places : 0);
    for (std::int32_t& row : map) row = static_cast<std::int32_t>(random() % rows);
    owned.values.push_back(std::move(values));
    owned.maps.push_back(std::move(map));
  }
  for (std::size_t window = 0; window < owned.values.size(); ++window) {
    const auto& map = owned.maps[window];
    owned.scores.grids.push_back(
        {owned.values[window].data(), shape.layout, map.empty() ? nullptr : map.data()});
  }
  return owned;
}

OwnedScores randomScores(const ScoreShape& shape, int width, int height, double spread,
                         std::uint32_t seed) {
  return randomScores(shape, {{0, static_cast<double>(width)}}, {{0, static_cast<double>(height)}},
                      spread, seed);
}

OwnedLabels::OwnedLabels(int width, int height, int classes, bool hasConfidence) {
  const std::size_t pixels = static_cast<std::size_t>(width) * height;
  image.width = width, image.height = height;
  if (classes <= 256) {
    labels8.assign(pixels, 255);
    image.labels8 = labels8.data();
  } else {
    labels16.assign(pixels, 65535);
    image.labels16 = labels16.data();
  }
  if (hasConfidence) {
    confidence.assign(pixels, -1);
    image.confidence = confidence.data();
  }
}

int OwnedLabels::label(std::size_t pixel) const {
  return labels8.empty() ? labels16[pixel] : labels8[pixel];
}

double scoreOf(const OwnedScores& owned, int y, int x, int k) {
  // The reference on one class alone says no more than its label, so that it is computed here.
  const segment::Scores& scores = owned.scores;
  double sum = 0;
  int windows = 0;
  for (std::size_t w = 0; w < scores.grids.size(); ++w) {
    const Span& column = scores.across[w % scores.across.size()];
    const Span& row = scores.down[w / scores.across.size()];
    const double u = (x + 0.5 - column.begin) / (column.end - column.begin);
    const double v = (y + 0.5 - row.begin) / (row.end - row.begin);
    if (u < 0 || u >= 1 || v < 0 || v >= 1) continue;
    const double px = std::clamp(u * scores.gridWidth - 0.5, 0.0, scores.gridWidth - 1.0);
    const double py = std::clamp(v * scores.gridHeight - 0.5, 0.0, scores.gridHeight - 1.0);
    for (int corner = 0; corner < 4; ++corner) {
      const int gx = std::min(static_cast<int>(px) + corner % 2, scores.gridWidth - 1);
      const int gy = std::min(static_cast<int>(py) + corner / 2, scores.gridHeight - 1);
      const double wx = corner % 2 == 0 ? 1 - px + std::floor(px) : px - std::floor(px);
      const double wy = corner / 2 == 0 ? 1 - py + std::floor(py) : py - std::floor(py);
      const int place = gy * scores.gridWidth + gx;
      const int places = scores.gridWidth * scores.gridHeight;
      const int at = owned.maps[w].empty() ? place : owned.maps[w][place];
      const bool isPlanes = scores.grids[w].layout == ScoreGrid::Layout::planes;
      const std::size_t index = isPlanes ? static_cast<std::size_t>(k) * places + place
                                         : static_cast<std::size_t>(at) * scores.classes + k;
      sum += wx * wy * owned.values[w][index];
    }
    ++windows;
  }
  return sum / windows;
}

void expectLikeReference(const OwnedScores& owned, int width, int height) {
  OwnedLabels expected(width, height, owned.scores.classes);
  OwnedLabels found(width, height, owned.scores.classes);
  segment::labelReference(owned.scores, expected.image);
  segment::Labeller labeller;
  labeller.label(owned.scores, found.image);
  float largest = 0;
  for (const auto& values : owned.values) {
    for (const float value : values) largest = std::max(largest, std::abs(value));
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t pixel = static_cast<std::size_t>(y) * width + x;
      ASSERT_NEAR(found.confidence[pixel], expected.confidence[pixel],
                  segment::Labeller::kConfidenceError)
          << "row " << y << ", column " << x;
      if (found.label(pixel) == expected.label(pixel)) continue;
      ASSERT_LT(found.label(pixel), owned.scores.classes);
      const double gap =
          scoreOf(owned, y, x, expected.label(pixel)) - scoreOf(owned, y, x, found.label(pixel));
      ASSERT_LE(gap, kLabelGap * largest)
          << "row " << y << ", column " << x << ": class " << found.label(pixel) << " instead of "
          << expected.label(pixel);
    }
  }
}

}  // namespace mpm::test
