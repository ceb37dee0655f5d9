// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "onnx/graph/model.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// Returns the dims of a value, -1 for an unknown size; null if not even the rank is known.
using DimsOf = std::function<const Integers*(const std::string& value)>;

// Brings a model to plain float32 operators with one form for each idea. Results stay, and so do
// the names of the graph's inputs and outputs. Returns the number of changes.
//
// Decomposes ONNX Runtime's fused nodes (com.microsoft): BiasGelu, Gelu, FastGelu, QuickGelu,
// SkipLayerNormalization (Simplified, too), FusedMatMul, FusedGemm, FusedConv, Attention,
// MultiHeadAttention, RotaryEmbedding. Also decomposes ONNX's Attention and RotaryEmbedding, and a
// product with weights that is split by features. A convolution into patches with padding, or with
// a rest that no patch covers, gets a Pad or Slice before it. Rows that are joined as columns and
// then transposed are transposed first. Values that are stacked to be summed are added. A Pad by a
// negative size becomes a Slice and a Pad. Nodes that deviate from their specification, or have a
// cache, stay. Half, bfloat16 and double become float32 (see widen), and scaled integers real
// values (see dequantise). Ranks are those that the file states.
int lower(Model& model);

// Lowers with more known ranks; nothing is quantised.
int lower(Model& model, const DimsOf& dimsOf);

// Replaces nodes that compute a softmax along the last axis by one Softmax, without a number that
// is subtracted from a whole row. Needs known dims. Returns the number of changes.
int spellSoftmaxes(Model& model, const Values& values);

// Makes changes that need the ranks of all values, and computed shapes as constants. Attention with
// keys before queries, and the softmax over them, becomes attention of rows that sum to one. Means
// in the form of pools or divided sums become means. A Resize of pixels becomes one of planes. A
// choice that is the same everywhere becomes its result. Returns the number of changes.
int lowerByRank(Model& model, const DimsOf& dimsOf);

// Replaces convolutions of one column, sums along columns, and element-wise functions between them
// by nodes on rows. This applies if rows are transposed before or after them, or if columns are
// normalised in a model with attention. Returns the number of changes.
int turnColumns(Model& model, const DimsOf& dimsOf);

// Replaces scaled integers by the real values that they represent (QuantizeLinear,
// DequantizeLinear, DynamicQuantizeLinear with products of integers). Values are no longer rounded.
// They still have a lower bound if their bits had one, which exporters use as a ReLU. A model stays
// as it is if a part cannot be replaced, except for single products of integers. Returns the number
// of changes.
int dequantise(Model& model);

// Makes half, bfloat16 and double float32 throughout: constants (one at a time; float32 ones are
// not touched), casts, and the types of inputs, outputs and inner values. Removes casts that then
// change nothing. Does nothing to a model with quantised nodes. Returns the number of changes.
int widen(Model& model);

}  // namespace mpm::onnx
