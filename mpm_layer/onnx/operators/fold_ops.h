// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/operators/shape_call.h"

namespace mpm::onnx {

// The value itself where it is of floats that are all known, else null.
const Known* sureFloats(const Known* value);

using Result = std::optional<Known>;
using Results = std::vector<Result>;  // by output
using Folder = Results (*)(const Call& call);

// Who computes a node of ONNX's own domain, or null.
Folder findFolder(const Node& node);

// What the node gives, by output, whoever computes it; nothing for all of them where nobody does.
Results compute(const Call& call);

// Each gives the node's result and says which elements of it are sure, of what stands in the call's
// `inputs`; nothing where it cannot be computed (see fold.h). Their time and memory are in
// proportion to what they read and make; products also multiply, which Values counts.

// fold_select.cpp
// What a Slice cuts, with an entry for each axis that it names; nothing where that is not known.
struct Cut {
  Integers starts, ends, axes, steps;
};
std::optional<Cut> cutOf(const Call& call);

Result foldGather(const Call& call);
Result foldSlice(const Call& call);
Results foldSplit(const Call& call);

// fold_shape.cpp
Result foldReshape(const Call& call);  // Flatten, Squeeze and Unsqueeze as well
Result foldConcat(const Call& call);
Result foldTranspose(const Call& call);
Result foldExpand(const Call& call);
Result foldTile(const Call& call);

// fold_arithmetic.cpp
Result foldAdd(const Call& call);
Result foldSub(const Call& call);
Result foldMul(const Call& call);
Result foldDiv(const Call& call);
Result foldMod(const Call& call);
Result foldPow(const Call& call);
Result foldMin(const Call& call);
Result foldMax(const Call& call);

Result foldSum(const Call& call);
Result foldMean(const Call& call);
Result foldPRelu(const Call& call);

// fold_function.cpp: functions of one element, which foldFunction computes, and what has more
// inputs or attributes.
bool isFunction(const std::string& type);
Result foldFunction(const Call& call);
Result foldGelu(const Call& call);
Result foldClip(const Call& call);
Result foldIsNaN(const Call& call);
Result foldIsInf(const Call& call);

// fold_choice.cpp
Result foldEqual(const Call& call);
Result foldLess(const Call& call);
Result foldLessOrEqual(const Call& call);
Result foldGreater(const Call& call);
Result foldGreaterOrEqual(const Call& call);
Result foldAnd(const Call& call);
Result foldOr(const Call& call);
Result foldXor(const Call& call);
Result foldNot(const Call& call);
Result foldWhere(const Call& call);

// fold_reduce.cpp: Reduce*, and where the extreme stands.
bool isReduction(const std::string& type);
Result foldReduce(const Call& call);
Result foldArgMax(const Call& call);
Result foldArgMin(const Call& call);

// fold_norm.cpp: all of the inputs has to be known.
Result foldLayerNormalization(const Call& call);
Result foldRmsNormalization(const Call& call);
Result foldInstanceNormalization(const Call& call);
Result foldGroupNormalization(const Call& call);
Result foldLpNormalization(const Call& call);
Results foldBatchNormalization(const Call& call);
Result foldMeanVarianceNormalization(const Call& call);
Result foldHardmax(const Call& call);
Result foldSoftmax(const Call& call);
Result foldLogSoftmax(const Call& call);

// fold_product.cpp: the same.
// Of floats: matrices behind axes of batches, which are broadcast; nothing where they do not fit.
Result matMul(const Known& a, const Known& b, MatrixProduct large);
Result foldMatMul(const Call& call);
Result foldGemm(const Call& call);
Result foldEinsum(const Call& call);

// fold_conv.cpp: of planes [B, C, H, W]; the same.
Result foldConv(const Call& call);

// fold_index.cpp: the same.
Result foldGatherElements(const Call& call);
Result foldGatherNd(const Call& call);
Result foldScatterElements(const Call& call);
Result foldScatterNd(const Call& call);
Results foldTopK(const Call& call);
Result foldOneHot(const Call& call);
Result foldCumSum(const Call& call);
Result foldTrilu(const Call& call);

// fold_image.cpp
Result foldPad(const Call& call);
Result foldDepthToSpace(const Call& call);
Result foldSpaceToDepth(const Call& call);
Result foldCol2Im(const Call& call);

// fold_resize.cpp: float32, all of it known; not with roi or an aspect ratio to keep.
Result foldResize(const Call& call);

// fold_sample.cpp: planes alone, all of it known.
Result foldGridSample(const Call& call);

// fold_pool.cpp: rows or planes, all of it known.
Results foldMaxPool(const Call& call);
Result foldAveragePool(const Call& call);

// fold_make.cpp
Result foldCast(const Call& call);
Result foldCastLike(const Call& call);
Result foldEyeLike(const Call& call);
Result foldConstantOfShape(const Call& call);
Result foldRange(const Call& call);

// The two operators that look at a value's dims alone. A size that is not known is a negative
// number.
Result foldShape(const Node& node, const Integers& dims);
Result foldSize(const Integers& dims);

// Which dims a Shape gives of a value of this rank: [first, second).
std::pair<std::size_t, std::size_t> shapeSpan(const Node& node, std::size_t rank);

// How many elements a Range has; nothing where that is not known.
std::optional<std::int64_t> rangeCount(const Known* start, const Known* limit, const Known* delta);

}  // namespace mpm::onnx
