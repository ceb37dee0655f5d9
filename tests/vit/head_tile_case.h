// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tolerances.h"
#include "vit/attention.h"
#include "vit/in_precision.h"
#include "vit/kernels.h"
#include "vit/poisoned_rows.h"
#include "vit/references.h"

namespace mpm::test {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kHeadTileLog2E = 1.44269504088896F, kHeadTileLn2 = 0.693147180559945F;
constexpr std::uint32_t kHeadTileSeed = 131;

/// Queries and keys whose logits are some units apart; values within 1, as kBf16Attention has it.
struct HeadTileCase {
  OwnedRows q, k, v;
  std::vector<float> keyWeights;  // in natural logarithms; none where empty

  HeadTileCase(std::size_t queries, std::size_t keys, std::size_t d)
      : q(normalRows(queries, d, kHeadTileSeed)),
        k(normalRows(keys, d, kHeadTileSeed + 1)),
        v(normalRows(keys, d, kHeadTileSeed + 2)) {
    for (float& x : v.data) x = std::tanh(x);
  }
  float scale() const { return 1.5F / std::sqrt(static_cast<float>(q.dim)); }

  OwnedRows expected(vit::Precision precision) const {
    OwnedRows out(q.count, q.dim, kNoNumber);
    const vit::Precision ofValues = vit::unquantised(precision);
    const bool isInt8 = vit::kernels(precision).hasInt8Keys();
    const vit::Precision ofKeys = isInt8 ? vit::Precision::int8 : ofValues;
    const OwnedRows units = asOperands(ofKeys, q.view(), scale() * kHeadTileLog2E);
    const vit::Attention attention{1, kHeadTileLn2,
                                   keyWeights.empty() ? nullptr : keyWeights.data()};
    vit::attentionReference(units.view(), asOperands(ofKeys, k.view()).view(),
                            asOperands(ofValues, v.view()).view(), attention, out.view());
    return out;
  }

  OwnedRows actual(vit::Precision precision) { return actual(vit::kernels(precision)); }
  OwnedRows actual(const vit::Kernels& kernel) {
    const std::size_t d = q.dim, units = kernel.headUnits(d);
    PoisonedUnits qUnits(q.count, units), vUnits(kernel.valueRows(v.count), d);
    PoisonedUnits kUnits = kernel.turnsKeys ? PoisonedUnits(units, vit::padded(k.count))
                                            : PoisonedUnits(k.count, units);
    PoisonedUnits outUnits(q.count, kernel.units(d));
    kernel.toQueries(q.view(), scale() * kHeadTileLog2E, qUnits.view().data, qUnits.view().stride);
    kernel.toKeys(k.view(), kUnits.view().data, kUnits.view().stride);
    kernel.toUnitColumns(v.view(), vUnits.view().data, vUnits.view().stride);
    for (std::size_t i = kernel.units(v.count); i < vUnits.view().count; ++i) {
      std::fill_n(vUnits.view().row(i), d, vit::Unit{});
    }
    std::vector<float> weights(keyWeights);
    for (float& weight : weights) weight *= kHeadTileLog2E;

    constexpr std::size_t kBehind = 32;
    const std::size_t floats = vit::headTileScratch(d);
    processor::FloatBuffer scratch;
    std::fill_n(scratch.reserve(floats + kBehind), floats + kBehind, kNoNumber);
    vit::HeadTile tile;
    tile.q = qUnits.view().data, tile.k = kUnits.view().data, tile.v = vUnits.view().data;
    tile.qStride = qUnits.view().stride, tile.kStride = kUnits.view().stride;
    tile.vStride = vUnits.view().stride;
    tile.queries = q.count, tile.keys = k.count, tile.d = d;
    tile.keyWeights = weights.empty() ? nullptr : weights.data();
    tile.out = outUnits.view().data, tile.outStride = outUnits.view().stride;
    tile.scratch = scratch.reserve(1);
    kernel.attend(tile);
    outUnits.expectPoisonUntouched();
    EXPECT_TRUE(std::all_of(tile.scratch + floats, tile.scratch + floats + kBehind, [](float x) {
      return std::isnan(x);
    })) << "behind the scratch memory was written";
    OwnedRows out(q.count, d);
    for (std::size_t i = 0; i < q.count; ++i) {
      kernel.toFloats(outUnits.view().row(i), d, out.row(i));
    }
    return out;
  }
};

}  // namespace mpm::test
