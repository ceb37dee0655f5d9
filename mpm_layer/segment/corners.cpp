// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "segment/corners.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>

#include "segment/corners.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::segment {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Tag>
void addOne(Tag d, const float* const corners[4], const float weights[4], bool isFirst,
            std::size_t k, float* HWY_RESTRICT mean) {
  auto sum = isFirst ? hn::Zero(d) : hn::LoadU(d, mean + k);
  for (int c = 0; c < 4; ++c) {
    sum = hn::MulAdd(hn::Set(d, weights[c]), hn::LoadU(d, corners[c] + k), sum);
  }
  hn::StoreU(sum, d, mean + k);
}

void addPoint(const float* const corners[4], float across, float down, float share, bool isFirst,
              std::size_t classes, float* HWY_RESTRICT mean) {
  const hn::ScalableTag<float> d;
  const float below = down * share, above = share - below;
  const float weights[4] = {above * (1 - across), above * across, below * (1 - across),
                            below * across};
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= classes; k += hn::Lanes(d)) {
    addOne(d, corners, weights, isFirst, k, mean);
  }
  // The rest is rounded alike, so that a class's mean does not depend on its number.
  const hn::CappedTag<float, 1> one;
  for (; k < classes; ++k) addOne(one, corners, weights, isFirst, k, mean);
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::segment
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::segment {

HWY_EXPORT(addPoint);

void addBetween(const float* const corners[4], float across, float down, float share, bool isFirst,
                std::size_t classes, float* mean) {
  HWY_DYNAMIC_DISPATCH(addPoint)(corners, across, down, share, isFirst, classes, mean);
}

void Corners::start(const Scores& scores, const Axis& across, const Axis& down) {
  scores_ = &scores, across_ = &across, down_ = &down;
  turnedRows_.assign(2 * scores.grids.size(), -1);
}

// Returns row y of a grid of planes. Two neighbouring rows are kept at a time.
const float* Corners::turned(int window, std::int32_t y) {
  const auto width = static_cast<std::size_t>(scores_->gridWidth);
  const auto classes = static_cast<std::size_t>(scores_->classes);
  const auto slot = static_cast<std::size_t>(2 * window + y % 2);
  float* rows = turned_.reserve(turnedRows_.size() * width * classes) + slot * width * classes;
  if (turnedRows_[slot] == y) return rows;
  turnedRows_[slot] = y;
  const std::size_t plane = width * scores_->gridHeight;
  const float* planes = scores_->grids[window].scores + y * width;
  constexpr std::size_t kBlock = 16;  // of classes and places: within the nearest cache
  for (std::size_t k0 = 0; k0 < classes; k0 += kBlock) {
    const std::size_t kEnd = std::min(k0 + kBlock, classes);
    for (std::size_t x0 = 0; x0 < width; x0 += kBlock) {
      const std::size_t xEnd = std::min(x0 + kBlock, width);
      for (std::size_t x = x0; x < xEnd; ++x) {
        for (std::size_t k = k0; k < kEnd; ++k) rows[x * classes + k] = planes[k * plane + x];
      }
    }
  }
  return rows;
}

const float* Corners::row(int window, std::int32_t y, std::int32_t x) {
  const auto classes = static_cast<std::size_t>(scores_->classes);
  const ScoreGrid& grid = scores_->grids[window];
  if (grid.layout == ScoreGrid::Layout::planes) return turned(window, y) + x * classes;
  const std::int32_t place = y * scores_->gridWidth + x;
  return grid.scores + (grid.map == nullptr ? place : grid.map[place]) * classes;
}

void Corners::add(const Part& part) {
  const Source &across = *part.across, &down = *part.down;
  const float* rows[4] = {
      row(part.window, down.first, across.first), row(part.window, down.first, across.second),
      row(part.window, down.second, across.first), row(part.window, down.second, across.second)};
  const auto classes = static_cast<std::size_t>(scores_->classes);
  float* means = means_.reserve(4 * classes);
  for (int corner = 0; corner < 4; ++corner) {
    addBetween(rows, part.nodesAcross[corner % 2], part.nodesDown[corner / 2], part.share,
               part.isFirst, classes, means + corner * classes);
  }
}

void Corners::find(const Piece& across, const Piece& down, Cell& cell) {
  const Source *columns = across_->sources(across), *rows = down_->sources(down);
  const std::size_t width = across.sourceCount(), height = down.sourceCount();
  const auto windowOf = [&](const Source& row, const Source& column) {
    return row.window * static_cast<int>(scores_->across.size()) + column.window;
  };
  if (width == 1 && height == 1) {
    const int window = windowOf(*rows, *columns);
    cell.corners[0] = row(window, rows->first, columns->first);
    cell.corners[1] = row(window, rows->first, columns->second);
    cell.corners[2] = row(window, rows->second, columns->first);
    cell.corners[3] = row(window, rows->second, columns->second);
    return;
  }
  for (std::size_t i = 0; i < width * height; ++i) {
    const Source &column = columns[i % width], &line = rows[i / width];
    add({windowOf(line, column),
         &column,
         &line,
         {across.firstNode(column), across.secondNode(column)},
         {down.firstNode(line), down.secondNode(line)},
         1 / static_cast<float>(width * height),
         i == 0});
  }
  const auto classes = static_cast<std::size_t>(scores_->classes);
  const float* means = means_.reserve(4 * classes);
  for (int corner = 0; corner < 4; ++corner) cell.corners[corner] = means + corner * classes;
}

}  // namespace mpm::segment
#endif  // HWY_ONCE
