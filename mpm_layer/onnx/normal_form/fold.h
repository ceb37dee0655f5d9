// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/graph/model.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// Changes to a graph before its encoder is recognised, in the order in which `recognise` makes
// them. lower() comes after the first, lowerByRank() and turnColumns() after settleReshapes(). Each
// returns how many changes it made; after any, facts about values are out of date.

// Makes nodes that compute the same from the same constants one, such as the tables that each of
// BEiT's blocks computes. Returns how many nodes were removed.
int shareConstants(Model& model);

// Replaces every If with a known condition by its branch. Exporters leave some that ask for a size
// or an option. Returns how many there were. Keeps an If with a branch that has a Constant which is
// no tensor (see Model).
int takeBranches(Model& model, const Values& values);

// Computes values that do not depend on a frame, and replaces them by constants. Such are
// arithmetic on shapes (single dimensions of a partly known shape count), and what exporters leave
// of position embeddings. `onnx/operators/table.cpp` lists the operators; Identity is always
// removed. Then removes dead nodes.
//
// Keeps nodes that give outputs of the graph, results of more than 2^25 elements, and wrong or
// overflowing nodes (the runtime reports these itself). Stops once nodes read or made 4 * 10^7
// float32s or half as many integers, and 32 times as many as the constants have. Returns how many
// nodes were folded.
int fold(Model& model);

// Folds with values that are known already, for input shapes that the file may leave open.
int fold(Model& model, const Values& values);

// Replaces computed shapes by constants if one size (the batch, say) is unknown and a constant can
// still express them:
//   Reshape  -1 for one unknown size, 0 for those of the input at the same place
//   Expand   1 for sizes of the input at the same place
//   Resize   scales instead of sizes, 1 for sizes that stay; only if they give the same sizes
// Others stay as they are. The constants hold for every input that `values` describes. Removes an
// Expand to the sizes that a value has, and dead nodes. Returns how many nodes were settled. Call
// it after fold(), with the same values.
int settleReshapes(Model& model, const Values& values);

// The following ones need known dims.

// Redirects readers of values that are equal to an earlier value. They were transposed and
// transposed back (rows, planes, rows again), or split and joined (a class token and patches).
int dropUndoneViews(Model& model, const Values& values);

// Replaces nodes that cut patches out of a picture and project them by a convolution that steps by
// its size. If a norm reads the rows first, the convolution keeps each pixel as it is.
int cutPatches(Model& model, const Values& values);

// Joins linear layers of one input if their results are joined feature by feature. Also joins the
// layers of q, k and v of heads that are computed separately. Each head then reads its part.
int joinLinears(Model& model, const Values& values);

}  // namespace mpm::onnx
