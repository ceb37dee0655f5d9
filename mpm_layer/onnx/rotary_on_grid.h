// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mpm::onnx {

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

}  // namespace mpm::onnx
