// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/proto.h"
#include "onnx/operators/known_tensor.h"
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

// out [m n] = a [m k] b [k n], all of them without gaps. For large ones. isKept: `b` stays where
// and as it is for all calls, so that what is made of it may be kept.
using MatrixProduct = std::function<void(const float* a, const float* b, float* out, std::size_t m,
                                         std::size_t k, std::size_t n, bool isKept)>;

// One node, and what is known of its inputs: by `values`, which may know sizes alone; without them
// by `inputs`, null for those that are left out or not known at all.
struct Call {
  const Node& node;
  std::vector<const KnownTensor*> inputs;
  std::int64_t opset = 0;  // of ONNX's own operators; 0: not known, a new one
  const Values* values = nullptr;
  const MatrixProduct* product = nullptr;  // null: plain loops
  bool keepsSecond = false;                // whether input 1 is the same at each call

  bool has(std::size_t input) const { return hasInput(node, static_cast<int>(input)); }
  const Integers* dims(std::size_t input) const;  // named ones
  Dims copyOf(std::size_t input) const;

  // Of `inputs`.
  const KnownTensor* input(std::size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }

  // An input of whole numbers that are all sure, else null; of `inputs`.
  const Integers* parameters(std::size_t i) const;

  // A scalar or list of at most 64 elements of which some are known.
  const KnownTensor* list(std::size_t input) const;

  // A list of whole numbers that is an attribute in old opsets and an input in new ones; nothing
  // where not all of it is known.
  std::optional<Integers> list(const char* attribute, std::size_t input) const;

  // The same where leaving it out means something.
  bool leavesOut(const char* attribute, std::size_t input) const;
};

inline Call callOf(const AnalysedModel& analysed, const Node& node) {
  return {node, {}, analysed.model.opset(), &analysed.values};
}

// Dims of a node's outputs as far as they are known.
Shapes inferShapes(const Call& call);

// Dims of its first output where all of them are known and its elements are few enough to be made.
Dims resultDims(const Call& call);

// Whether an operator is one of those that inferShapes knows.
bool hasShapeRule(const Node& node);

// Type of a node's output, 0 where unknown.
int inferType(const Call& call, std::size_t output);

using Result = std::optional<KnownTensor>;
using Results = std::vector<Result>;  // by output
using ShapeRule = Shapes (*)(const Call&);
using Folder = Results (*)(const Call& call);

// The type of what an operator gives: one that is always the same, or that of an input.
struct GivenType {
  int type = 0;
  int input = 0;
};
inline constexpr GivenType always(int type) { return {type, 0}; }
inline constexpr GivenType likeInput(int input) { return {0, input}; }

// A row of the table.
struct Operator {
  std::string name;  // with "com.microsoft:" in front of ONNX Runtime's own
  // The dims of a node's outputs; nothing for those that are not known, or where the node is wrong.
  ShapeRule shape = nullptr;
  // The node's results, which say what of them is sure, from the call's `inputs`; nothing where it
  // cannot be computed for certain. Null: nobody computes it. Time and memory are in proportion to
  // what is read and made; products also multiply, which Values counts.
  Folder compute = nullptr;
  GivenType gives = {};
};
using Operators = std::vector<Operator>;

// Those of each file.
const Operators& elementwiseOperators();
const Operators& arrangementOperators();
const Operators& indexingOperators();
const Operators& makingOperators();
const Operators& reductionOperators();
const Operators& productOperators();
const Operators& normalizationOperators();
const Operators& windowOperators();
const Operators& resizingOperators();

// Null for operators of which nothing is known, and of other domains.
const Operator* findOperator(const Node& node);

// For rows, from what gives one output.
template <Dims (*rule)(const Call&)>
Shapes first(const Call& call) {
  return {rule(call)};
}
template <Result (*compute)(const Call&)>
Results one(const Call& call) {
  return {compute(call)};
}

Dims shapeSame(const Call& call);       // as the first input
Dims shapeBroadcast(const Call& call);  // any number of inputs
Shapes shapeAllSame(const Call& call);  // every output as the first input
Dims shapePad(const Call& call);

// Who computes a node of ONNX's own domain, or null.
Folder findFolder(const Node& node);

// What the node gives, by output, whoever computes it; nothing for all of them where nobody does.
Results compute(const Call& call);

// The value itself where it is of floats that are all known, else null.
const KnownTensor* sureFloats(const KnownTensor* value);

// What a Slice cuts, with an entry for each axis that it names; nothing where that is not known.
struct Cut {
  Integers starts, ends, axes, steps;
};
std::optional<Cut> cutOf(const Call& call);

// Whether it is a Reduce*, and which axes that takes away, or keeps as ones; nothing where they are
// not known or wrong.
bool isReduction(const std::string& type);
std::optional<std::vector<bool>> reducedAxes(const Call& call, std::size_t rank);

// The one scale of all these axes that a Resize to sizes has under a policy of keeping the aspect;
// nothing where it keeps none, or sizes are not known.
std::optional<float> keptAspect(const std::string& policy, const Integers& dims,
                                const std::vector<std::size_t>& axes, const Integers& sizes);

// Of floats: matrices behind axes of batches, which are broadcast; nothing where they do not fit.
// keepsB: see MatrixProduct.
Result matMul(const KnownTensor& a, const KnownTensor& b, const MatrixProduct* large,
              bool keepsB = false);

// The two operators that look at a value's dims alone. A size that is not known is a negative
// number.
Result foldShape(const Node& node, const Integers& dims);
Result foldSize(const Integers& dims);

// Which dims a Shape gives of a value of this rank: [first, second).
std::pair<std::size_t, std::size_t> shapeSpan(const Node& node, std::size_t rank);

// How many elements a Range has; nothing where that is not known.
std::optional<std::int64_t> rangeCount(const KnownTensor* start, const KnownTensor* limit,
                                       const KnownTensor* delta);

}  // namespace mpm::onnx
