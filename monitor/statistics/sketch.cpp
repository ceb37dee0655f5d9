// SPDX-License-Identifier: Apache-2.0
// Cells of equal relative width, as in Masson, Rim, Lee: DDSketch (2019). Cell i has the values
// above f^(i-1) up to f^i, and stands for the one that is as far from both by their share.
#include "monitor/statistics/sketch.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace mpm::monitor {
namespace {

constexpr double kFactor = 1.02;  // 0.99% to either border
constexpr double kZero = 1e-9;

int placeOf(double magnitude) {
  static const double perLog = 1 / std::log(kFactor);
  return static_cast<int>(std::ceil(std::log(magnitude) * perLog));
}

double valueOf(int place) {
  static const double log = std::log(kFactor), middle = std::log(2 / (1 + kFactor));
  return std::min(std::exp(place * log + middle), std::numeric_limits<double>::max());
}

// The first cell at `place` or behind it. Mostly next to no cell is missing before it.
template <typename Cells>
auto firstFrom(Cells& cells, int place) {
  if (cells.empty() || place <= cells.front().place) return cells.begin();
  if (place > cells.back().place) return cells.end();
  const auto size = static_cast<std::ptrdiff_t>(cells.size());
  const std::ptrdiff_t missing = cells.back().place - cells.front().place + 1 - size;
  const std::ptrdiff_t most = place - cells.front().place;  // where it is if none is missing
  return std::lower_bound(cells.begin() + std::max<std::ptrdiff_t>(0, most - missing),
                          cells.begin() + std::min(size, most + 1), place,
                          [](const auto& cell, int wanted) { return cell.place < wanted; });
}

}  // namespace

void Sketch::count(Cells& cells, int place) {
  const auto found = firstFrom(cells, place);
  if (found != cells.end() && found->place == place) {
    ++found->count;
  } else if (cells.size() < kCells) {
    cells.insert(found, {place, 1});
  } else if (found == cells.begin()) {
    ++found->count;  // smaller than all: put together with the smallest
  } else {
    const std::uint64_t smallest = cells.front().count;
    std::move(cells.begin() + 1, found, cells.begin());
    *(found - 1) = {place, 1};
    cells.front().count += smallest;
  }
}

void Sketch::add(double value) {
  if (!std::isfinite(value)) return;
  ++count_;
  if (std::abs(value) < kZero) {
    ++zeros_;
  } else {
    count(value > 0 ? positive_ : negative_, placeOf(std::abs(value)));
  }
}

void Sketch::merge(Cells& cells, const Cells& others) {
  Cells merged;
  merged.reserve(cells.size() + others.size());
  auto one = cells.cbegin();
  auto other = others.cbegin();
  while (one != cells.cend() || other != others.cend()) {
    const bool fromOther =
        one == cells.cend() || (other != others.cend() && other->place < one->place);
    const Cell& next = fromOther ? *other++ : *one++;
    if (!merged.empty() && merged.back().place == next.place) {
      merged.back().count += next.count;
    } else {
      merged.push_back(next);
    }
  }
  if (merged.size() > kCells) {
    const auto first = merged.end() - kCells;
    for (auto cell = merged.begin(); cell != first; ++cell) first->count += cell->count;
    merged.erase(merged.begin(), first);
  }
  cells.assign(merged.begin(), merged.end());
}

void Sketch::add(const Sketch& other) {
  merge(positive_, other.positive_);
  merge(negative_, other.negative_);
  zeros_ += other.zeros_;
  count_ += other.count_;
}

double Sketch::quantile(double share) const {
  if (count_ == 0 || std::isnan(share)) return std::numeric_limits<double>::quiet_NaN();
  // A product that is off a whole number by rounding alone is that number.
  const double wanted = std::ceil(share * static_cast<double>(count_) * (1 - 1e-15));
  std::uint64_t left = wanted <= 1 ? 1 : static_cast<std::uint64_t>(std::min(wanted, 1e18));
  left = std::min(left, count_);
  for (auto cell = negative_.rbegin(); cell != negative_.rend(); ++cell) {
    if (left <= cell->count) return -valueOf(cell->place);
    left -= cell->count;
  }
  if (left <= zeros_) return 0;
  left -= zeros_;
  for (const Cell& cell : positive_) {
    if (left <= cell.count) return valueOf(cell.place);
    left -= cell.count;
  }
  return valueOf(positive_.back().place);
}

}  // namespace mpm::monitor
