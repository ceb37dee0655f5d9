// SPDX-License-Identifier: Apache-2.0
#include "merge/scope.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace mpm::merge {
namespace {

// Cells about as large as the window leave each panel few others to meet. Cells below 8 patches a
// side would hold less than two panels.
constexpr std::int32_t kSmallestCell = 8;

// Compares in 64 bits, since labels may lie further apart than an int32 reaches.
bool apart(std::int32_t minA, std::int32_t maxA, std::int32_t minB, std::int32_t maxB,
           std::int32_t reach) {
  const std::int64_t gap =
      std::max(static_cast<std::int64_t>(minB) - maxA, static_cast<std::int64_t>(minA) - maxB);
  return gap > reach;
}

// Visits rows of cells alternately left to right and right to left. A panel that runs past the end
// of one then continues in a neighbouring cell.
struct CellOrder {
  const Scope& scope;
  std::int32_t cell;

  bool operator()(std::int32_t a, std::int32_t b) const {
    if (!scope.region.empty() && scope.region[a] != scope.region[b]) {
      return scope.region[a] < scope.region[b];
    }
    if (scope.window > 0) {
      const std::int32_t ya = scope.y[a] / cell, yb = scope.y[b] / cell;
      if (ya != yb) return ya < yb;
      const std::int32_t xa = scope.x[a] / cell, xb = scope.x[b] / cell;
      if (xa != xb) return ya % 2 == 0 ? xa < xb : xa > xb;
    }
    return a < b;
  }
};

void fillPanels(const Scope& scope, Slots& slots) {
  const std::size_t used = slots.row.size();
  const std::size_t padded = (used + kPanelSlots - 1) / kPanelSlots * kPanelSlots;
  slots.row.resize(padded, kEmptySlot);
  slots.y.assign(padded, 0);
  slots.x.assign(padded, 0);
  slots.region.assign(padded, 0);
  slots.panels.resize(padded / kPanelSlots);
  slots.full.assign(padded / kPanelSlots, 0);
  for (std::size_t s = 0; s < used; ++s) {
    const auto row = static_cast<std::size_t>(slots.row[s]);
    if (scope.window > 0) slots.y[s] = scope.y[row], slots.x[s] = scope.x[row];
    if (!scope.region.empty()) slots.region[s] = scope.region[row];
    const Extent point{slots.y[s], slots.y[s],      slots.x[s],
                       slots.x[s], slots.region[s], slots.region[s]};
    Extent& panel = slots.panels[s / kPanelSlots];
    if (s % kPanelSlots == 0) {
      panel = point;
    } else {
      panel.include(point);
    }
  }
}

}  // namespace

bool Scope::allows(std::size_t i, std::size_t j) const {
  if (i == j) return false;
  if (!region.empty() && region[i] != region[j]) return false;
  return window == 0 || (std::abs(y[i] - y[j]) <= window && std::abs(x[i] - x[j]) <= window);
}

void buildScope(const MergeOptions& options, const std::int32_t* map, std::size_t originals,
                std::size_t liveRows, Scope& scope) {
  scope.window = options.window;
  scope.y.resize(options.window > 0 ? liveRows : 0);
  scope.x.resize(options.window > 0 ? liveRows : 0);
  scope.region.resize(options.regions != nullptr ? liveRows : 0);
  if (!scope.restricted()) return;

  for (std::size_t i = originals; i-- > 0;) {  // backwards: the lowest member writes last
    const auto live = static_cast<std::size_t>(map[i]);
    if (options.window > 0) {
      scope.y[live] = static_cast<std::int32_t>(i) / options.gridWidth;
      scope.x[live] = static_cast<std::int32_t>(i) % options.gridWidth;
    }
    if (options.regions != nullptr) scope.region[live] = options.regions[i];
  }
}

void Extent::include(const Extent& other) {
  yMin = std::min(yMin, other.yMin), yMax = std::max(yMax, other.yMax);
  xMin = std::min(xMin, other.xMin), xMax = std::max(xMax, other.xMax);
  regionMin = std::min(regionMin, other.regionMin);
  regionMax = std::max(regionMax, other.regionMax);
}

bool mayPair(const Extent& a, const Extent& b, std::int32_t window) {
  return !apart(a.yMin, a.yMax, b.yMin, b.yMax, window) &&
         !apart(a.xMin, a.xMax, b.xMin, b.xMax, window) &&
         !apart(a.regionMin, a.regionMax, b.regionMin, b.regionMax, 0);
}

void arrangeSlots(std::size_t rows, const Scope& scope, Slots& slots) {
  slots.row.resize(rows);
  std::iota(slots.row.begin(), slots.row.end(), 0);
  slots.ascending = !scope.restricted();
  slots.window = scope.window > 0 ? scope.window : std::numeric_limits<std::int32_t>::max();
  if (scope.restricted()) {
    std::sort(slots.row.begin(), slots.row.end(),
              CellOrder{scope, std::max(scope.window, kSmallestCell)});
  }
  fillPanels(scope, slots);
}

}  // namespace mpm::merge
