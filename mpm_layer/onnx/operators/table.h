// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/proto.h"
#include "onnx/operators/known.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// Sizes as in Values::namedDims: numbers, names of sizes below -1, and kUnknown for one of which
// nothing is known.
inline constexpr std::int64_t kUnknown = -1;
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 48;  // larger ones are not known
inline bool isNumber(std::int64_t size) { return size >= 0; }

// Products and sums of sizes: kUnknown where an operand is no number or the result is no size.
std::int64_t plus(std::int64_t a, std::int64_t b);
std::int64_t times(std::int64_t a, std::int64_t b);

// The product of sizes[begin..end): a number, a name if the others are ones, or kUnknown.
std::int64_t collapse(const Integers& sizes, std::size_t begin, std::size_t end);

// The one size that is missing in `parts` for it to have as many elements as `whole`.
std::int64_t missingSize(const Integers& whole, const Integers& parts);

using Dims = std::optional<Integers>;
using Shapes = std::vector<Dims>;  // by output

// Dims of two operands that are broadcast, nothing where they do not fit.
Dims broadcastSizes(const Integers& a, const Integers& b);

// out [m n] = a [m k] b [k n], all of them without gaps; `out` is zeros before. For large ones.
using MatrixProduct = void (*)(const float* a, const float* b, float* out, std::size_t m,
                               std::size_t k, std::size_t n);

// One node, and what is known of its inputs: by `values`, which may know sizes alone; without them
// by `inputs`, null for those that are left out or not known at all.
struct Call {
  const Node& node;
  std::vector<const Known*> inputs;
  std::int64_t opset = 0;  // of ONNX's own operators; 0: not known, a new one
  const Values* values = nullptr;
  MatrixProduct product = nullptr;  // null: plain loops

  bool has(std::size_t input) const { return hasInput(node, static_cast<int>(input)); }
  const Integers* dims(std::size_t input) const;  // named ones
  Dims copyOf(std::size_t input) const;

  // Of `inputs`.
  const Known* input(std::size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }

  // An input of whole numbers that are all sure, else null; of `inputs`.
  const Integers* parameters(std::size_t i) const;

  // A scalar or list of at most 64 elements of which some are known.
  const Known* list(std::size_t input) const;

  // A list of whole numbers that is an attribute in old opsets and an input in new ones; nothing
  // where not all of it is known.
  std::optional<Integers> list(const char* attribute, std::size_t input) const;

  // The same where leaving it out means something.
  bool leavesOut(const char* attribute, std::size_t input) const;
};

inline Call callOf(const Facts& facts, const Node& node) {
  return {node, {}, facts.model.opset(), &facts.values};
}

// Dims of a node's outputs as far as they are known.
Shapes inferShapes(const Call& call);

// Dims of its first output where all of them are known and its elements are few enough to be made.
Dims resultDims(const Call& call);

// Whether an operator is one of those that inferShapes knows.
bool hasShapeRule(const Node& node);

// Type of a node's output, 0 where unknown.
int inferType(const Call& call, std::size_t output);

// Each gives the dims of a node's first output (or of all its outputs); nothing where they are not
// known or the node is wrong.

// elementwise.cpp
Dims shapeSame(const Call& call);       // as the first input
Dims shapeBroadcast(const Call& call);  // any number of inputs
Shapes shapeAllSame(const Call& call);  // every output as the first input
Shapes shapeNormalization(const Call& call);
Shapes shapeBatchNormalization(const Call& call);

// window.cpp
Dims shapeConv(const Call& call);
Dims shapeConvTranspose(const Call& call);
Shapes shapePool(const Call& call);
Dims shapeGlobalPool(const Call& call);
Dims shapeDepthToSpace(const Call& call);
Dims shapeCol2Im(const Call& call);
Dims shapeSpaceToDepth(const Call& call);

// product.cpp
Dims shapeMatMul(const Call& call);
Dims shapeFusedMatMul(const Call& call);
Dims shapeGemm(const Call& call);
Dims shapeEinsum(const Call& call);

// arrange.cpp
Dims shapeReshape(const Call& call);
Dims shapeTranspose(const Call& call);
Dims shapeFlatten(const Call& call);
Dims shapeSqueeze(const Call& call);
Dims shapeUnsqueeze(const Call& call);
Dims shapeConcat(const Call& call);
Dims shapeExpand(const Call& call);
Dims shapeTile(const Call& call);

// arrange.cpp: parts
Dims shapeSlice(const Call& call);
Shapes shapeSplit(const Call& call);
Dims shapeGather(const Call& call);
Dims shapeGatherElements(const Call& call);
Dims shapeGatherND(const Call& call);
Shapes shapeTopK(const Call& call);

// resize.cpp
Dims shapePad(const Call& call);
Dims shapeResize(const Call& call);
// The one scale of all these axes that a Resize to sizes has under a policy of keeping the aspect;
// nothing where it keeps none, or sizes are not known.
std::optional<float> keptAspect(const std::string& policy, const Integers& dims,
                                const std::vector<std::size_t>& axes, const Integers& sizes);
Dims shapeGridSample(const Call& call);

// make.cpp
Dims shapeShape(const Call& call);
Dims shapeScalar(const Call& call);
Dims shapeConstantOfShape(const Call& call);
Dims shapeRange(const Call& call);
Dims shapeNonZero(const Call& call);
Dims shapeOneHot(const Call& call);

// reduce.cpp
// Which axes a Reduce* takes away, or keeps as ones; nothing where they are not known or wrong.
std::optional<std::vector<bool>> reducedAxes(const Call& call, std::size_t rank);
Dims shapeReduce(const Call& call);
Dims shapeArg(const Call& call);

// table.cpp
Shapes shapeSkipNormalization(const Call& call);
Dims shapePackedAttention(const Call& call);     // com.microsoft's Attention
Dims shapeMultiHeadAttention(const Call& call);  // com.microsoft's
Dims shapeAttention(const Call& call);           // ONNX 23's

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

// arrange.cpp: parts
// What a Slice cuts, with an entry for each axis that it names; nothing where that is not known.
struct Cut {
  Integers starts, ends, axes, steps;
};
std::optional<Cut> cutOf(const Call& call);

Result foldGather(const Call& call);
Result foldSlice(const Call& call);
Results foldSplit(const Call& call);

// arrange.cpp
Result foldReshape(const Call& call);  // Flatten, Squeeze and Unsqueeze as well
Result foldConcat(const Call& call);
Result foldTranspose(const Call& call);
Result foldExpand(const Call& call);
Result foldTile(const Call& call);

// elementwise.cpp
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

// elementwise.cpp: functions of one element, which foldFunction computes, and what has more
// inputs or attributes.
bool isFunction(const std::string& type);
Result foldFunction(const Call& call);
Result foldGelu(const Call& call);
Result foldClip(const Call& call);
Result foldIsNaN(const Call& call);
Result foldIsInf(const Call& call);

// elementwise.cpp: comparisons, logic, choice
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

// reduce.cpp: Reduce*, and where the extreme stands.
bool isReduction(const std::string& type);
Result foldReduce(const Call& call);
Result foldArgMax(const Call& call);
Result foldArgMin(const Call& call);

// normalization.cpp: all of the inputs has to be known.
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

// product.cpp: the same.
// Of floats: matrices behind axes of batches, which are broadcast; nothing where they do not fit.
Result matMul(const Known& a, const Known& b, MatrixProduct large);
Result foldMatMul(const Call& call);
Result foldGemm(const Call& call);
Result foldEinsum(const Call& call);

// window.cpp: of planes [B, C, H, W]; the same.
Result foldConv(const Call& call);

// indexing.cpp: the same.
Result foldGatherElements(const Call& call);
Result foldGatherNd(const Call& call);
Result foldScatterElements(const Call& call);
Result foldScatterNd(const Call& call);
Results foldTopK(const Call& call);
Result foldOneHot(const Call& call);
Result foldCumSum(const Call& call);
Result foldTrilu(const Call& call);

// window.cpp
Result foldPad(const Call& call);
Result foldDepthToSpace(const Call& call);
Result foldSpaceToDepth(const Call& call);
Result foldCol2Im(const Call& call);

// resize.cpp: float32, all of it known; not with roi or an aspect ratio to keep.
Result foldResize(const Call& call);

// resize.cpp: planes alone, all of it known.
Result foldGridSample(const Call& call);

// window.cpp: rows or planes, all of it known.
Results foldMaxPool(const Call& call);
Result foldAveragePool(const Call& call);

// make.cpp
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
