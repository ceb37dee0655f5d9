// SPDX-License-Identifier: Apache-2.0
#include "vit/block_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mpm::vit {

void BlockMemory::expectAll(const All& all) {
  special_ = all.special;
  rowsOfAll_ = keys_ = kept_ = all.rows;
  isWeighted_ = all.isWeighted;
  isFresh_ = false;
  keyOf_.resize(special_ + all.originals);
  std::iota(keyOf_.begin(), keyOf_.end(), 0);
  for (std::size_t i = 0; all.map != nullptr && i < all.originals; ++i)
    keyOf_[special_ + i] = static_cast<std::int32_t>(special_) + all.map[i];
  behind_.assign(keyOf_.size(), 0);
  for (const std::int32_t key : keyOf_) ++behind_[static_cast<std::size_t>(key)];
}

void BlockMemory::expectFresh(const std::vector<std::int32_t>& fresh) {
  isFresh_ = true;
  kept_ = keys_;
  places_.resize(special_);
  std::iota(places_.begin(), places_.end(), 0);
  for (const std::int32_t original : fresh) {
    std::int32_t& key = keyOf_[special_ + static_cast<std::size_t>(original)];
    std::int32_t& together = behind_[static_cast<std::size_t>(key)];
    if (together > 1) {
      --together;
      key = static_cast<std::int32_t>(keys_);
      behind_[keys_++] = 1;
    }
    places_.push_back(key);
  }
}

// Clears value rows without a key, since they may be read as part of a whole step.
BlockKeys BlockMemory::open(const PackedBlock& block) {
  const Kernels& kernel = kernels(block.precision);
  const std::size_t most = keyOf_.size();
  dim_ = block.dim();
  operands_.reserve(most, most, block.heads, block.headDim, kernel);
  std::fill(operands_.v + kernel.units(kept_) * operands_.columns,
            operands_.v + kernel.valueRows(keys_) * operands_.columns, Unit{});
  const std::int32_t* const places = isFresh_ ? places_.data() : nullptr;
  if (!isWeighted_) return {keys_, nullptr, places};
  weights_.resize(keys_);
  std::transform(behind_.begin(), behind_.begin() + static_cast<std::ptrdiff_t>(keys_),
                 weights_.begin(),
                 [](std::int32_t count) { return std::log(static_cast<float>(count)); });
  return {keys_, operands_.weightsInPowersOfTwo(weights_.data(), keys_), places};
}

std::size_t BlockMemory::bytes() const {
  return operands_.bytes() + weights_.capacity() * sizeof(float) +
         (keyOf_.capacity() + behind_.capacity() + places_.capacity()) * sizeof(std::int32_t);
}

void placeKeys(const Unit* rows, std::size_t count, const std::int32_t* places,
               const Kernels& kernel, const AttentionOperands& operands) {
  const std::size_t units = operands.rowStride;
  for (std::size_t r = 0; r < count; ++r, rows += units) {
    const auto key = static_cast<std::size_t>(places[r]);
    if (!kernel.turnsKeys) {
      std::copy_n(rows, units, operands.keyAt(key, 0));
      continue;
    }
    for (std::size_t u = 0; u < units; ++u) *operands.keyAt(key, u) = rows[u];
  }
}

// Places values. A unit of a row is a pair of columns, a unit of columns a pair of rows.
void placeValues(const Unit* rows, std::size_t count, const std::int32_t* places,
                 const Kernels& kernel, const AttentionOperands& operands) {
  for (std::size_t r = 0; r < count; ++r, rows += operands.rowStride) {
    const auto key = static_cast<std::size_t>(places[r]);
    Unit* const to = operands.v + key / kernel.unitValues * operands.columns;
    if (kernel.unitValues == 1) {
      std::copy_n(rows, operands.columns, to);
      continue;
    }
    for (std::size_t c = 0; c < operands.columns; ++c) {
      const std::uint16_t value = c % 2 == 0 ? rows[c / 2].pair.first : rows[c / 2].pair.second;
      (key % 2 == 0 ? to[c].pair.first : to[c].pair.second) = value;
    }
  }
}

}  // namespace mpm::vit
