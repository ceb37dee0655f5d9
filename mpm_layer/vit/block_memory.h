// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/rows.h"
#include "vit/transformer_block.h"

namespace mpm::vit {

/// Keys that a block's queries meet.
struct BlockKeys {
  std::size_t count = 0;
  const float* weights = nullptr;  ///< in powers of two, or null
  /// Key of each row that is computed; null if row i has key i.
  const std::int32_t* places = nullptr;
};

/// Keys and values that a block keeps from call to call. A later call then computes only a few
/// fresh rows, whose queries meet all keys. A key stands for one original row, or for several that
/// were merged. A recomputed row leaves those that it was merged with and gets its own key. There
/// are never more keys than original rows.
class BlockMemory {
 public:
  struct All {
    std::size_t rows = 0, special = 0;  ///< special ones in front, then image rows
    std::size_t originals = 0;          ///< image rows in front of all merges
    const std::int32_t* map = nullptr;  ///< their rows, counted without the special ones; or null
    bool isWeighted = false;  ///< whether a key counts as often as originals are behind it
  };
  /// Makes the next call compute all rows.
  void expectAll(const All& all);
  /// Makes the next call compute the special rows and the originals in `fresh`, which ascend.
  void expectFresh(const std::vector<std::int32_t>& fresh);

  /// Returns the number of rows in the last call of all rows, and the present number of keys.
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

/// Computes the block's result for `in`, the rows that `memory` expects. For all rows it equals the
/// call without a memory to the bit. `out` may be `in`.
void transformerBlockCpu(ConstRows in, const PackedBlock& block, BlockMemory& memory, Rows out);

/// Move unit rows of keys other than int8, and of values, from a product to their places among
/// those that are kept.
void placeKeys(const Unit* rows, std::size_t count, const std::int32_t* places,
               const Kernels& kernel, const AttentionOperands& operands);
void placeValues(const Unit* rows, std::size_t count, const std::int32_t* places,
                 const Kernels& kernel, const AttentionOperands& operands);

}  // namespace mpm::vit
