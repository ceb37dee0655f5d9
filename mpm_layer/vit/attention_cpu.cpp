// SPDX-License-Identifier: Apache-2.0
#include "vit/attention.h"

#include <algorithm>
#include <cassert>

#include "processor/pool.h"
#include "vit/distances.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

constexpr float kLog2E = 1.44269504088896F;

ConstRows headOf(ConstRows rows, std::size_t head, std::size_t d) {
  return {rows.data + head * d, rows.count, d, rows.stride};
}

}  // namespace

void AttentionOperands::reserve(std::size_t queries, std::size_t keys, std::size_t heads,
                                std::size_t d, const Kernels& kernel) {
  headColumns = padded(d);
  columns = heads * headColumns;
  headUnits = kernel.headUnits(headColumns);
  qStride = heads * headUnits;
  rowStride = kernel.units(columns);
  q = qMemory_.reserve(queries * qStride);
  turnsKeys_ = kernel.turnsKeys;
  keyStride_ = turnsKeys_ ? padded(keys) : qStride;
  k = kMemory_.reserve((turnsKeys_ ? qStride : keys) * keyStride_);
  v = vMemory_.reserve(kernel.valueRows(keys) * columns);
  std::fill(v + kernel.units(keys) * columns, v + kernel.valueRows(keys) * columns, Unit{});
}

Finish AttentionOperands::toKeys(std::size_t first) const {
  Finish finish;
  (turnsKeys_ ? finish.turnedUnitRows : finish.unitRows) = keyAt(first, 0);
  finish.stride = keyStride_;
  return finish;
}

const float* AttentionOperands::weightsInPowersOfTwo(const float* keyWeights, std::size_t keys) {
  if (keyWeights == nullptr) return nullptr;
  float* const weights = weightMemory_.reserve(keys);
  for (std::size_t i = 0; i < keys; ++i) weights[i] = keyWeights[i] * kLog2E;
  return weights;
}

float queryScale(float scale) { return scale * kLog2E; }

void attendRows(const AttentionOperands& operands, const Kernels& kernel, const AttentionRows& rows,
                float* scratch) {
  const std::size_t d = operands.headColumns;
  HeadTile tile;
  tile.qStride = operands.qStride;
  tile.kStride = operands.keyStride();
  tile.vStride = operands.columns;
  tile.queries = rows.count;
  tile.keys = rows.keys;
  tile.d = d;
  tile.keyWeights = rows.keyWeights;
  tile.outStride = operands.rowStride;
  tile.scratch = scratch;
  for (std::size_t head = 0; head * d < operands.columns; ++head) {
    const std::size_t unit = head * operands.headUnits;
    tile.q = operands.q + rows.first * operands.qStride + unit;
    tile.k = operands.keyAt(0, unit);
    tile.v = operands.v + head * d;
    tile.out = rows.out + head * kernel.units(d);
    if (rows.bias != nullptr)
      tile.bias = biasColumns(*rows.bias, head, rows.first, rows.count, rows.biasRoom);
    if (rows.distances != nullptr) {
      tile.bias = placeDistances(*rows.distances, head, rows.first, rows.count, rows.keys,
                                 rows.biasRoom + rows.keys * kTileRows, rows.biasRoom);
    }
    kernel.attend(tile);
  }
}

void fillOperands(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  std::size_t head, const Kernels& kernel, AttentionOperands& operands) {
  const std::size_t d = q.dim / attention.heads;
  const std::size_t column = head * operands.headColumns, unit = head * operands.headUnits;
  kernel.toQueries(headOf(q, head, d), queryScale(attention.scale), operands.q + unit,
                   operands.qStride);
  kernel.toKeys(headOf(k, head, d), operands.keyAt(0, unit), operands.keyStride());
  kernel.toUnitColumns(headOf(v, head, d), operands.v + column, operands.columns);
  for (std::size_t i = 0; i < kernel.units(k.count) && d < operands.headColumns; ++i) {
    Unit* const row = operands.v + i * operands.columns + column;
    std::fill(row + d, row + operands.headColumns, Unit{});
  }
}

void toRow(const AttentionOperands& operands, const Kernels& kernel, std::size_t heads,
           const Unit* attended, float* out, std::size_t d) {
  for (std::size_t head = 0; head < heads; ++head)
    kernel.toFloats(attended + head * kernel.units(operands.headColumns), d, out + head * d);
}

void attentionCpu(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  Precision precision, AttentionOperands& operands, Rows out) {
  assert(q.dim == k.dim && q.dim == v.dim && q.dim == out.dim);
  assert(k.count == v.count && q.count == out.count && q.dim % attention.heads == 0);
  const Kernels& kernel =
      attention.bias == nullptr ? kernels(precision) : kernelsWithBias(precision);
  const std::size_t d = q.dim / attention.heads;
  operands.reserve(q.count, k.count, attention.heads, d, kernel);
  const float* const weights = operands.weightsInPowersOfTwo(attention.keyWeights, k.count);
  const RowTiles tiles(q.count);
  const std::size_t attended = kTileRows * operands.rowStride;
  const std::size_t tile = headTileScratch(operands.headColumns);
  const std::size_t biasRoom = attention.bias == nullptr ? 0 : biasRoomFor(*attention.bias);
  const auto fill = [&](std::size_t head) {
    fillOperands(q, k, v, attention, head, kernel, operands);
  };
  const auto attend = [&](std::size_t task) {
    const std::size_t first = tiles.begin(task), rows = tiles.rows(task);
    float* const memory = processor::threadScratch().reserve(attended + tile + biasRoom);
    Unit* const units = asUnits(memory);
    attendRows(
        operands, kernel,
        {first, rows, k.count, weights, units, attention.bias, nullptr, memory + attended + tile},
        memory + attended);
    for (std::size_t i = 0; i < rows; ++i) {
      toRow(operands, kernel, attention.heads, units + i * operands.rowStride, out.row(first + i),
            d);
    }
  };
  processor::forEachTaskInTwoSteps(attention.heads, fill, tiles.count(), attend);
}

}  // namespace mpm::vit
