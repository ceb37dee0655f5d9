// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/facts.h"

namespace mpm::onnx {

// An input [B, C, H, W] of a model.
struct ImageInput {
  std::string name;  // empty: there is none
  Integers dims;     // -1: open
};

// The first of them.
ImageInput imageInput(const Model& model);

// Sizes that the position embedding of a ViT may stand for where the input's are open: square grids
// of patches, with special rows in front or without.
std::vector<ImageInput> sizesByPositions(const Model& model, const ImageInput& input);

// The head of a model was made for another input: its nodes (all nodes of `model` are that now, or
// layers) hold sizes of the old one, in reshapes and resizes. Replaces them. ModelError that names
// the node where a size cannot be told.
struct SizeChange {
  std::int64_t oldHeight, oldWidth, newHeight, newWidth;  // of the input
  std::int64_t oldRows, oldColumns, newRows, newColumns;  // of the grid of patches
};
void resizeHead(Model& model, const SizeChange& change);

}  // namespace mpm::onnx
