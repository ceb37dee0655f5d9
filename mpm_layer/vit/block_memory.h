// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/rows.h"
#include "vit/transformer_block.h"

namespace mpm::vit {

/// The keys that a block's queries meet.
struct BlockKeys {
  std::size_t count = 0;
  const float* weights = nullptr;  ///< in powers of two, or null
  /// The key of each row that is computed; null: row i has key i.
  const std::int32_t* places = nullptr;
};

/// Keys and values that a block keeps from call to call, so that a later one computes a few fresh
/// rows alone, whose queries meet the keys of all. A key stands for one original row, or for
/// several that were merged; a row that is computed anew leaves those that it was merged with, and
/// has a key of its own from then on. There are never more keys than original rows.
class BlockMemory {
 public:
  struct All {
    std::size_t rows = 0, special = 0;  ///< special ones in front, then image rows
    std::size_t originals = 0;          ///< image rows in front of all merges
    const std::int32_t* map = nullptr;  ///< their rows, counted without the special ones; or null
    bool isWeighted = false;  ///< whether a key counts as often as originals are behind it
  };
  /// The next call computes all rows.
  void expectAll(const All& all);
  /// The next call computes the special rows and those of `fresh`, which are originals, ascending.
  void expectFresh(const std::vector<std::int32_t>& fresh);

  /// How many rows the last call of all rows had; how many keys there are now.
  std::size_t rowsOfAll() const { return rowsOfAll_; }
  std::size_t keys() const { return keys_; }
  std::size_t special() const { return special_; }
  std::size_t dim() const { return dim_; }  ///< of rows, as of that call
  std::size_t bytes() const;

 private:
  friend void transformerBlockCpu(ConstRows in, const PackedBlock& block, BlockMemory& memory,
                                  Rows out);
  BlockKeys open(const PackedBlock& block);

  AttentionOperands operands_;
  std::size_t special_ = 0, rowsOfAll_ = 0, keys_ = 0, dim_ = 0;
  std::size_t kept_ = 0;  // keys that the next call finds
  bool isWeighted_ = false, isFresh_ = false;
  std::vector<std::int32_t> keyOf_;   // of each original row, the special ones in front
  std::vector<std::int32_t> behind_;  // how many of them stand behind each key
  std::vector<std::int32_t> places_;
  std::vector<float> weights_;
};

/// out = the block's result for `in`, the rows that `memory` expects. Of all rows it is to the bit
/// what the call without a memory gives. `out` may be `in`.
void transformerBlockCpu(ConstRows in, const PackedBlock& block, BlockMemory& memory, Rows out);

/// Unit rows of keys that are not int8, and of values, as the products leave them, go to their
/// places among those that are kept.
void placeKeys(const Unit* rows, std::size_t count, const std::int32_t* places,
               const Kernels& kernel, const AttentionOperands& operands);
void placeValues(const Unit* rows, std::size_t count, const std::int32_t* places,
                 const Kernels& kernel, const AttentionOperands& operands);

}  // namespace mpm::vit
