// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mpm::onnx {

// A bias of q k that depends, for two patches, on how far they lie apart alone; and for a special
// row and a patch, on the special row.
struct RelativeBias {
  std::int64_t heads = 0, special = 0, rows = 0, columns = 0;
  std::vector<float> byDistance;    // [2 rows - 1, 2 columns - 1, heads], of query less key
  std::vector<float> ofSpecial;     // [special, heads]: special queries, patches as keys
  std::vector<float> toSpecial;     // [special, heads]: patches as queries, special keys
  std::vector<float> amongSpecial;  // [special, special, heads]

  // [heads, S + N, S + N], special rows in front.
  void write(float* out) const;
};

// The bias of a grid, whose rows stand at these places of `values` [heads, S + N, S + N]; nothing
// where it depends on more than the above.
std::optional<RelativeBias> findRelativeBias(const float* values, std::int64_t heads,
                                             const std::vector<std::size_t>& places,
                                             std::int64_t rows, std::int64_t columns);

// On another grid: numbers by distance are resized bilinearly, from as many as there are to as many
// as there will be, as BEiT of transformers does for a picture of another size.
RelativeBias biasOnGrid(const RelativeBias& bias, std::int64_t rows, std::int64_t columns);

}  // namespace mpm::onnx
