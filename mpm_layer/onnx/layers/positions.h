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

// What an attention knows of its rows' places, as constants of its layer. Of a value that has all
// of a token blob's rows, which come from `embedding`; moved to the blob's grid where that is not
// the model's own. An obstacle where it is not known what becomes of it there.
Finding<std::vector<Weight>> positionsOf(const Model& model, const FoundAttention& attention,
                                         const Tokens& tokens, const Embedding& embedding);

// Of a value that has all of a blob's rows, `width` floats each of the model's own grid: in the
// order of the blob.
std::vector<float> inOrder(const std::vector<float>& rows, std::size_t width, const Tokens& tokens);

// Patches of another input size than the one that a model was made for.
struct GridChange {
  std::int64_t rows, columns, newRows, newColumns;
};

// The factors of rotary positions, of the rows of a grid and d features: see FoundRotary.
struct RotaryFactors {
  std::vector<float> own, other;
};

// The factors that the model's own code has for another grid, as far as those of its own grid tell
// which code that is. They have to be cosines and sines of angles that are linear in a patch's row
// and column; those are either
//   centred: a side is 2 long whatever its patches, and the angle is 0 in its middle. The fastest
//     feature turns 2 pi times its length in radians (DINOv3);
//   scaled: a side is as long as some number of patches, which is not the grid's own, and the angle
//     is 0 at the first patch, or one in front of it (EVA-02 and Perception Encoder, at other sizes
//     than that of their pretraining).
// Nothing, and `obstacle`, where they are anything else. Whether a side as long as the grid's own
// would be scaled cannot be told.
struct RotaryOnGrid {
  RotaryFactors factors;
  std::string obstacle;  // empty: there is none
};
RotaryOnGrid rotaryOnGrid(const RotaryFactors& factors, std::int64_t d, const GridChange& change);

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
