// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// Lets nodes that compute the same from the same constants be one: the tables that each block of
// BEiT works out for itself. Returns how many nodes went.
int shareConstants(Model& model);

// Computes what can be known without a frame and puts constants in its place: the arithmetic that
// exporters leave around shapes (single dimensions of a partly known shape count), and what they
// leave of position embeddings. `operators.cpp` lists the operators; Identity goes whatever it
// passes on. Then dead nodes go.
//
// Left alone: a node that gives an output of the graph, a result of more than 2^25 elements,
// everything once nodes read or made 4 * 10^7 float32s or half as many whole numbers and 32
// times as many as the constants have, and whatever is wrong or overflows (the runtime will have
// its own words for that). Returns how many nodes were folded.
int fold(Model& model);

// The same with what is known already, for input shapes that the file may leave open.
int fold(Model& model, const Values& values);

// Writes shapes that nodes compute as constants where one size (the batch, say) is not known and a
// constant can still say what is meant:
//   Reshape  -1 for one size that is not known, 0 for those that are the input's at the same place
//   Expand   1 for sizes that are the input's at the same place
//   Resize   scales instead of sizes, 1 for sizes that stay; only where they give the same sizes
// Others stay as they are. What the constants say holds for every input that `values` was told of.
// An Expand to the sizes that a value has goes, and so do dead nodes. Returns how many nodes were
// settled. For after fold(), with the same values.
int settleReshapes(Model& model, const Values& values);

}  // namespace mpm::onnx
