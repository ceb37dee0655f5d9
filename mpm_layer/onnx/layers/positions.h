// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/layers/plan.h"
#include "onnx/recognise/embedding.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/tokens.h"

namespace mpm::onnx {

// Returns what an attention knows of its rows' places, as constants of its layer. The value has all
// rows of a token blob, which come from `embedding`. Constants are moved to the blob's grid if it
// is not the model's own. Returns an obstacle if it is unknown how they move.
Finding<std::vector<Weight>> positionsOf(const Model& model, const FoundAttention& attention,
                                         const Tokens& tokens, const Embedding& embedding);

// Puts the rows of a value in the order of the blob. The value has all of a blob's rows, `width`
// floats each, of the model's own grid.
std::vector<float> inOrder(const std::vector<float>& rows, std::size_t width, const Tokens& tokens);

// Grids of patches at the model's own input size and at the new one.
struct GridChange {
  std::int64_t rows, columns, newRows, newColumns;
};

// Factors of rotary positions, for the rows of a grid and d features: see FoundRotary.
struct RotaryFactors {
  std::vector<float> own, other;
};

// Returns the factors that the model's own code has for another grid, if those of its own grid show
// which code that is. They have to be cosines and sines of angles that are linear in a patch's row
// and column. Such angles are one of these:
//   centred: a side has length 2 whatever its patches, and the angle is 0 in its middle. The
//   fastest
//     feature turns 2 pi times its length in radians (DINOv3);
//   scaled: a side is as long as some number of patches, not the grid's own, and the angle is 0 at
//     the first patch or the one before it (EVA-02 and Perception Encoder, at other sizes than that
//     of their pretraining).
// For other angles it returns only an `obstacle`. If a side is as long as the grid's own, it is
// unknown whether it would be scaled.
struct RotaryOnGrid {
  RotaryFactors factors;
  std::string obstacle;  // empty: there is none
};
RotaryOnGrid rotaryOnGrid(const RotaryFactors& factors, std::int64_t d, const GridChange& change);

// A bias of q k that depends only on the distance of two patches. Between a special row and a
// patch, it depends only on the special row.
struct RelativeBias {
  std::int64_t heads = 0, special = 0, rows = 0, columns = 0;
  std::vector<float> byDistance;    // [2 rows - 1, 2 columns - 1, heads], of query less key
  std::vector<float> ofSpecial;     // [special, heads]: special queries, patches as keys
  std::vector<float> toSpecial;     // [special, heads]: patches as queries, special keys
  std::vector<float> amongSpecial;  // [special, special, heads]

  // Writes [heads, S + N, S + N], special rows first.
  void write(float* out) const;
};

// Finds the bias of a grid with its rows at these places of `values` [heads, S + N, S + N]. Returns
// std::nullopt if it depends on more than the above.
std::optional<RelativeBias> findRelativeBias(const float* values, std::int64_t heads,
                                             const std::vector<std::size_t>& places,
                                             std::int64_t rows, std::int64_t columns);

// Resizes a bias to another grid. Numbers by distance are resized bilinearly from the old number of
// distances to the new one. BEiT of transformers does so for another picture size.
RelativeBias biasOnGrid(const RelativeBias& bias, std::int64_t rows, std::int64_t columns);

}  // namespace mpm::onnx
