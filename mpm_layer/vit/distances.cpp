// SPDX-License-Identifier: Apache-2.0
#include "vit/distances.h"

#include <algorithm>
#include <cassert>

namespace mpm::vit {
namespace {

constexpr float kLog2E = 1.44269504088896F;

std::size_t cellsOf(const PackedMatrix& table) { return (table.outputs() + 1) / 2; }

// Bias of one direction: a row of the tile's queries for each place of a key along it.
struct Direction {
  const PackedMatrix* table;
  std::int32_t RowCells::Cell::*place;
};

// Spreads the products [count x distances] of queries with a table to `made` [places x kTileRows]:
// for a key at each place, the mean over a query's cells.
void spread(const DistanceBias& bias, const Direction& direction, std::size_t query,
            std::size_t count, const float* products, std::size_t stride, float* made) {
  const auto places = static_cast<std::int32_t>(cellsOf(*direction.table));
  std::fill_n(made, static_cast<std::size_t>(places) * kTileRows, 0.0F);
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t row = bias.first + query + r;
    const RowCells::Cell *begin = bias.cells->begin(row), *end = bias.cells->end(row);
    const float share = kLog2E / static_cast<float>(std::max<std::ptrdiff_t>(end - begin, 1));
    for (const RowCells::Cell* cell = begin; cell != end; ++cell) {
      const float* const byPlace = products + r * stride + cell->*direction.place + places - 1;
      for (std::int32_t place = 0; place < places; ++place)
        made[static_cast<std::size_t>(place) * kTileRows + r] += byPlace[-place] * share;
    }
  }
}

// Multiplies the tile's queries by the table, then spreads the products by places of keys.
void placesOf(const DistanceBias& bias, const Direction& direction, std::size_t head,
              std::size_t query, std::size_t count, float* room, float* made) {
  const PackedMatrix& table = *direction.table;
  const ConstRows queries = bias.queries;
  const float* const q = queries.row(query) + head * table.inputs();
  Finish finish;
  finish.rows = room;
  finish.stride = padded(table.outputs());
  kernels(Precision::fp32)
      .multiply(
          {asUnits(q), queries.stride, count, table.view(), 0, table.inputs(), 0, table.outputs()},
          finish);
  spread(bias, direction, query, count, room, finish.stride, made);
}

}  // namespace

DistanceTables::DistanceTables(ConstRows down, ConstRows across)
    : down_(down, Layout::outByIn, Precision::fp32),
      across_(across, Layout::outByIn, Precision::fp32) {
  assert(down.dim == across.dim && down.count % 2 == 1 && across.count % 2 == 1);
}

void RowCells::clear() {
  starts_.assign(1, 0);
  cells_.clear();
}

std::size_t distanceRoomFor(const DistanceTables& tables) {
  const std::size_t products = padded(std::max(tables.down().outputs(), tables.across().outputs()));
  return kTileRows * (products + tables.height() + tables.width());
}

BiasColumns placeDistances(const DistanceBias& bias, std::size_t head, std::size_t query,
                           std::size_t count, std::size_t keys, float* room, float* out) {
  const DistanceTables& tables = *bias.tables;
  float* const down = room;
  float* const across = down + tables.height() * kTileRows;
  float* const products = across + tables.width() * kTileRows;
  placesOf(bias, {&tables.down(), &RowCells::Cell::y}, head, query, count, products, down);
  placesOf(bias, {&tables.across(), &RowCells::Cell::x}, head, query, count, products, across);
  const auto at = [](const float* places, std::int32_t place) {
    return places + static_cast<std::size_t>(place) * kTileRows;
  };
  const std::size_t stride = keys * kColumnStep;
  for (std::size_t key = 0; key < keys; ++key) {
    const RowCells::Cell *begin = bias.cells->begin(bias.first + key),
                         *end = bias.cells->end(bias.first + key);
    const float share = 1 / static_cast<float>(std::max<std::ptrdiff_t>(end - begin, 1));
    for (std::size_t group = 0; group < kTileRows; group += kColumnStep) {
      float* const columns = out + group / kColumnStep * stride + key * kColumnStep;
      if (end - begin == 1) {
        const float *y = at(down, begin->y) + group, *x = at(across, begin->x) + group;
        for (std::size_t r = 0; r < kColumnStep; ++r) columns[r] = y[r] + x[r];
        continue;
      }
      std::fill_n(columns, kColumnStep, 0.0F);
      for (const RowCells::Cell* cell = begin; cell != end; ++cell) {
        const float *y = at(down, cell->y) + group, *x = at(across, cell->x) + group;
        for (std::size_t r = 0; r < kColumnStep; ++r) columns[r] += (y[r] + x[r]) * share;
      }
    }
  }
  return {out, stride};
}

}  // namespace mpm::vit
