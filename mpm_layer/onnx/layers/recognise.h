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

// A model whose encoder is known, and the plan that rewrites it. The plan holds until the model
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

// Brings a model to plain operators, computes what its shapes are made of, and looks for its
// encoder. The model computes the same afterwards, at the input size that was asked for or is the
// model's own. ModelError where it is asked for a size that the model cannot take.
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

// The first of them that may be a picture.
ImageInput imageInput(const Model& model);

// How many channels it has by the weights of the first convolution; -1 where there is none.
std::int64_t channelsOf(const Model& model, const ImageInput& input);

// Sizes that the position embedding of a ViT may stand for where the input's are open: square grids
// of patches, with special rows in front or without, or the grid that a graph resizes.
std::vector<ImageInput> sizesByPositions(const Model& model, ImageInput input);

// The head of a model was made for another input: its nodes (all nodes of `model` are that now, or
// give what is `planned`) hold sizes of the old one, in reshapes and resizes, and what is added at
// each place. Replaces them. ModelError that names the node where a size cannot be told.
struct SizeChange {
  std::int64_t oldHeight, oldWidth, newHeight, newWidth;  // of the input
  std::int64_t oldRows, oldColumns, newRows, newColumns;  // of the grid of patches
  std::int64_t special, features;                         // rows beside the patches', and of a row
};
void resizeHead(Model& model, const SizeChange& change,
                const std::unordered_set<std::string>& planned);

// Of the sizes of one value, or of a reshape: the grid's or the input's two sides become the new
// ones; else the number of patches does, of all rows or of pixels. False where one of these stands
// twice or is that of the features as well, or where four sizes, which are those of a picture, hold
// nothing of the kind.
bool replaceSizes(Integers& sizes, const SizeChange& change);

SizeChange sizeChangeOf(const Recognised& recognised);

}  // namespace mpm::onnx
