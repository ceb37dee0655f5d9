// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx/layers/translate.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

struct RecogniseOptions {
  bool lateRestore = true;
  std::int64_t width = 0, height = 0;  // of the input; 0: the model's own
  bool proportional = false;           // attention of the encoder
};

// A model with its encoder, and the plan that rewrites it. The plan is valid until the model
// changes.
struct Recognised {
  Encoder encoder;                       // with an obstacle: the model cannot merge
  Plan plan;                             // may be empty then
  std::shared_ptr<const Values> values;  // at its own size, for any batch
  std::string input;                     // the graph's input that holds the image
  bool channelsLast = false;             // of it
  bool sizeIsOpen = false;               // in the file: its height or its width
  std::int64_t channels = 0;
  std::int64_t width = 0, height = 0;  // of it, as the net will take it
  std::int64_t ownWidth = 0, ownHeight = 0;

  bool isResized() const { return height != ownHeight || width != ownWidth; }
  Integers sizes() const {  // of the input, all but the batch, in its order
    return channelsLast ? Integers{height, width, channels} : Integers{channels, height, width};
  }
};

// Lowers a model to plain operators, folds its shapes, and finds its encoder. The model computes
// the same afterwards, at the requested input size or its own. Throws a ModelError if it cannot
// take the requested size.
Recognised recognise(Model& model, const RecogniseOptions& options);

// An input [B, C, H, W] of a model, or [B, H, W, C].
struct ImageInput {
  std::string name;  // empty: there is none
  Integers dims;     // -1: open
  bool channelsLast = false;

  std::int64_t& channels() { return dims[channelsLast ? 3 : 1]; }
  std::int64_t& height() { return dims[channelsLast ? 1 : 2]; }
  std::int64_t& width() { return dims[channelsLast ? 2 : 3]; }
};

// Returns the first input that may be a picture.
ImageInput imageInput(const Model& model);

// Returns its number of channels by the weights of the first convolution; -1 if there is none.
std::int64_t channelsOf(const Model& model, const ImageInput& input);

// Returns sizes that a ViT's position embedding may stand for if the input's are open. They are
// square grids of patches, with or without special rows first, or the grid that a graph resizes.
std::vector<ImageInput> sizesByPositions(const Model& model, ImageInput input);

// Adapts the head of a model to another input size. Its nodes are all nodes of `model` except those
// that give `planned` values. They hold old sizes in reshapes and resizes, and tables of values for
// each place. Throws a ModelError that names a node with an unknown size.
struct SizeChange {
  std::int64_t oldHeight, oldWidth, newHeight, newWidth;  // of the input
  std::int64_t oldRows, oldColumns, newRows, newColumns;  // of the grid of patches
  std::int64_t special, features;                         // rows beside the patches', and of a row
};
void resizeHead(Model& model, const SizeChange& change,
                const std::unordered_set<std::string>& planned);

// Changes sizes of one value, or of a reshape. Replaces the two sides of the grid or the input by
// the new ones. Otherwise replaces the number of patches, of all rows or of pixels. Returns false
// if one of these occurs twice or equals the number of features. Returns false, too, if four sizes,
// as a picture has, hold none of them.
bool replaceSizes(Integers& sizes, const SizeChange& change);

SizeChange sizeChangeOf(const Recognised& recognised);

}  // namespace mpm::onnx
