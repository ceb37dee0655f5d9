// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/graph/model.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// What is changed in a graph before its encoder is looked for, in the order in which `recognise`
// does it; lower() comes behind the first, lowerByRank() and turnColumns() behind settleReshapes().
// Each returns how many changes it made; where there are any, values that were worked out before
// are of no use.

// Lets nodes that compute the same from the same constants be one: the tables that each block of
// BEiT works out for itself. Returns how many nodes went.
int shareConstants(Model& model);

// Puts the branch that is taken in the place of every If whose condition is known: exporters leave
// some that ask for a size or an option. Gives how many there were. One whose branch has a Constant
// that is no tensor (see Model) is left alone.
int takeBranches(Model& model, const Values& values);

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

// For the following ones dims have to be known.

// Whoever reads what a turn and the turn back leave as it was (rows that became planes, and rows
// again), or what was cut apart and joined again (a class token and patches), reads what stood in
// front.
int dropUndoneViews(Model& model, const Values& values);

// Rows of patches that nodes which only arrange elements cut out of a picture, whatever those are,
// and that a linear layer projects: a convolution that steps by its own size. Where a norm reads
// them first, one that leaves each pixel as it is.
int cutPatches(Model& model, const Values& values);

// Linear layers of one input whose results are joined, feature by feature, become one; so do those
// of q, k and v of heads that are computed by themselves and joined then, each of which reads its
// part of it.
int joinLinears(Model& model, const Values& values);

}  // namespace mpm::onnx
