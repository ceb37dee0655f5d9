// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "vit/references.h"

namespace mpm::vit {
namespace {

// A key of a window: its row of q, k and v, and its cells there.
struct Key {
  const float* row;
  std::vector<RowCells::Cell> cells;
};

Key keyOf(const GridTables& tables, const Members& members, ConstRows qkv, std::size_t row) {
  const WindowGrid& grid = tables.grid;
  Key key{qkv.row(row), {}};
  for (const std::int32_t* token = members.begin(row); token != members.end(row); ++token) {
    const auto at = static_cast<std::size_t>(*token);
    key.cells.push_back({static_cast<std::int32_t>(at / grid.width % grid.windowHeight),
                         static_cast<std::int32_t>(at % grid.width % grid.windowWidth)});
  }
  return key;
}

std::vector<Key> keysOf(const GridTables& tables, const Members& members, ConstRows qkv,
                        std::size_t window) {
  const WindowGrid& grid = tables.grid;
  std::vector<Key> keys;
  for (std::size_t row = 0; row < qkv.count; ++row) {
    if (grid.windowOf(static_cast<std::size_t>(*members.begin(row))) == window)
      keys.push_back(keyOf(tables, members, qkv, row));
  }
  for (std::size_t cell = 0; cell < grid.windowHeight * grid.windowWidth; ++cell) {
    const std::size_t y = cell / grid.windowWidth, x = cell % grid.windowWidth;
    if (window / grid.across() * grid.windowHeight + y < grid.height &&
        window % grid.across() * grid.windowWidth + x < grid.width)
      continue;
    keys.push_back(
        {tables.outside, {{static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)}}});
  }
  return keys;
}

double dot(const float* a, const float* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

double distanceOf(const GridTables& tables, const Key& query, const float* q, const Key& key) {
  if (tables.down.data == nullptr) return 0;
  const auto at = [](ConstRows table, std::int32_t distance) {
    return table.row(table.count / 2 + static_cast<std::size_t>(distance));
  };
  double sum = 0;
  for (const RowCells::Cell& i : query.cells) {
    for (const RowCells::Cell& j : key.cells) {
      sum += dot(q, at(tables.down, i.y - j.y), tables.down.dim) +
             dot(q, at(tables.across, i.x - j.x), tables.down.dim);
    }
  }
  return sum / static_cast<double>(query.cells.size() * key.cells.size());
}

}  // namespace

void gridAttentionReference(ConstRows qkv, const Attention& attention, const GridTables& tables,
                            const Members& members, Rows out) {
  const std::size_t d = out.dim / attention.heads;
  for (std::size_t row = 0; row < qkv.count; ++row) {
    const Key query = keyOf(tables, members, qkv, row);
    const std::vector<Key> keys = keysOf(
        tables, members, qkv, tables.grid.windowOf(static_cast<std::size_t>(*members.begin(row))));
    for (std::size_t head = 0; head < attention.heads; ++head) {
      const float* const q = query.row + head * d;
      std::vector<double> weights;
      for (const Key& key : keys) {
        weights.push_back(static_cast<double>(attention.scale) *
                              dot(q, key.row + out.dim + head * d, d) +
                          distanceOf(tables, query, q, key));
      }
      const double largest = *std::max_element(weights.begin(), weights.end());
      double all = 0;
      for (double& weight : weights) all += weight = std::exp(weight - largest);
      for (std::size_t i = 0; i < d; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < keys.size(); ++k)
          sum += weights[k] * static_cast<double>(keys[k].row[2 * out.dim + head * d + i]);
        out.row(row)[head * d + i] = static_cast<float>(sum / all);
      }
    }
  }
}

}  // namespace mpm::vit
