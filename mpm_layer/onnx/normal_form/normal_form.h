// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "onnx/graph/model.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// The dims of a value, -1 for a size that is not known; null where not even the rank is known.
using DimsOf = std::function<const Integers*(const std::string& value)>;

// Brings a model to plain float32 operators, one spelling of each idea, and returns how many
// changes that took. What is computed stays, and so do the names of the graph's inputs and outputs.
//
// ONNX Runtime's fused nodes (com.microsoft) become the nodes they were made of: BiasGelu, Gelu,
// FastGelu, QuickGelu, SkipLayerNormalization (Simplified, too), FusedMatMul, FusedGemm, FusedConv,
// Attention, MultiHeadAttention, RotaryEmbedding; so do ONNX's Attention and RotaryEmbedding, and a
// product with weights that is split by features. Patches of a padded image, or that leave a rest
// of it, become a Pad or Slice and patches, rows that are joined as columns and turned then are
// turned first, values that are stacked to be summed are added, and a Pad of less than nothing
// becomes a Slice and a Pad. What is not as specified, or has a cache, stays. Half, bfloat16 and
// double become float32 (see widen), whole numbers with scales what they stand for (see
// dequantise). Ranks are what the file says of its values.
int lower(Model& model);

// The same where more is known of the ranks, and nothing is quantised.
int lower(Model& model, const DimsOf& dimsOf);

// Nodes that compute a softmax along the last axis become one, without what it does not notice: a
// number that is taken off all of a row. For dims that are known. Returns the number of changes.
int spellSoftmaxes(Model& model, const Values& values);

// What needs the ranks of all values, and shapes that were computed as constants: attention whose
// keys stand in front of its queries, with the softmax over them, becomes that of rows which sum to
// one; means that are written as pools or divided sums become means; a Resize of pixels becomes one
// of planes; a choice that is the same everywhere is what it chooses. Returns the number of
// changes.
int lowerByRank(Model& model, const DimsOf& dimsOf);

// Projections by convolutions of one column, what is summed along columns, and functions of single
// elements between them, where rows are turned for them or turned back behind, or columns are
// normalised in a model that attends: the same of rows. Returns the number of changes.
int turnColumns(Model& model, const DimsOf& dimsOf);

// Weights and values of whole numbers with scales become what they stand for (QuantizeLinear,
// DequantizeLinear, DynamicQuantizeLinear with products of integers). Values are rounded no more;
// where few bits also bound them from below, as exporters use that for a ReLU, they still do. A
// model of which a part cannot be written so is left alone, but for products of integers, each of
// which stands for itself. Returns the number of changes.
int dequantise(Model& model);

// Half, bfloat16 and double become float32 throughout: constants (one at a time; those that are
// float32 are not touched), casts, and the types of inputs, outputs and inner values. Casts that
// then change nothing go. A model with quantised nodes is left alone. Returns the number of
// changes.
int widen(Model& model);

}  // namespace mpm::onnx
