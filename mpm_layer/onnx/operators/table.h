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

// Sizes as in Values::namedDims: numbers, names of sizes below -1, and kUnknown for others.
inline constexpr std::int64_t kUnknown = -1;
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 48;  // larger ones are not known
inline bool isNumber(std::int64_t size) { return size >= 0; }

// Return sums and products of sizes: kUnknown if an operand is not a number or the result no size.
std::int64_t plus(std::int64_t a, std::int64_t b);
std::int64_t times(std::int64_t a, std::int64_t b);

// Returns the product of sizes[begin..end): a number, a name if the others are ones, or kUnknown.
std::int64_t collapse(const Integers& sizes, std::size_t begin, std::size_t end);

// Returns the size that `parts` lacks to have as many elements as `whole`.
std::int64_t missingSize(const Integers& whole, const Integers& parts);

using Dims = std::optional<Integers>;
using Shapes = std::vector<Dims>;  // by output

// Returns the dims of two broadcast operands, std::nullopt if they do not fit.
Dims broadcastSizes(const Integers& a, const Integers& b);

// Computes out [m n] = a [m k] b [k n], all without gaps, for large ones. isKept: `b` keeps its
// place and elements in all calls, so its packed form may be kept.
using MatrixProduct = std::function<void(const float* a, const float* b, float* out, std::size_t m,
                                         std::size_t k, std::size_t n, bool isKept)>;

// A node, and the known facts about its inputs. They are in `values`, which may know sizes alone,
// else in `inputs`, null for missing or unknown ones.
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

  // Returns an entry of `inputs`.
  const KnownTensor* input(std::size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }

  // Returns an entry of `inputs` if it has integers that are all sure, else null.
  const Integers* parameters(std::size_t i) const;

  // Returns a scalar or list of at most 64 elements, some of them known.
  const KnownTensor* list(std::size_t input) const;

  // Returns a list of integers, an attribute in old opsets and an input in new ones; std::nullopt
  // if part of it is unknown.
  std::optional<Integers> list(const char* attribute, std::size_t input) const;

  // Tells whether such a list is left out, for operators with a default.
  bool leavesOut(const char* attribute, std::size_t input) const;
};

inline Call callOf(const AnalysedModel& analysed, const Node& node) {
  return {node, {}, analysed.model.opset(), &analysed.values};
}

// Returns the known dims of a node's outputs.
Shapes inferShapes(const Call& call);

// Returns the dims of its first output if all are known and small enough to compute.
Dims resultDims(const Call& call);

// Tells whether inferShapes knows an operator.
bool hasShapeRule(const Node& node);

// Returns the type of a node's output, 0 if unknown.
int inferType(const Call& call, std::size_t output);

using Result = std::optional<KnownTensor>;
using Results = std::vector<Result>;  // by output
using ShapeRule = Shapes (*)(const Call&);
using Folder = Results (*)(const Call& call);

// Type of an operator's output: a constant one, or that of an input.
struct GivenType {
  int type = 0;
  int input = 0;
};
inline constexpr GivenType always(int type) { return {type, 0}; }
inline constexpr GivenType likeInput(int input) { return {0, input}; }

// A row of the table.
struct Operator {
  std::string name;  // with "com.microsoft:" in front of ONNX Runtime's own
  // Infers the dims of a node's outputs; std::nullopt for unknown ones, or if the node is wrong.
  ShapeRule shape = nullptr;
  // Computes the node's results, with the elements that are sure, from the call's `inputs`;
  // std::nullopt if they are not certain. Null: not computed. Time and memory are in proportion to
  // elements read and made; products also multiply, which Values counts.
  Folder compute = nullptr;
  GivenType gives = {};
};
using Operators = std::vector<Operator>;

// Operators of each file.
const Operators& elementwiseOperators();
const Operators& arrangementOperators();
const Operators& indexingOperators();
const Operators& makingOperators();
const Operators& reductionOperators();
const Operators& productOperators();
const Operators& normalizationOperators();
const Operators& windowOperators();
const Operators& resizingOperators();

// Returns null for unknown operators, and for other domains.
const Operator* findOperator(const Node& node);

// Adapt rules with one output for rows.
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

// Returns the folder of a node of ONNX's own domain, or null.
Folder findFolder(const Node& node);

// Returns the node's results, by output; all std::nullopt if it has no folder.
Results compute(const Call& call);

// Returns the value if it has floats that are all known, else null.
const KnownTensor* sureFloats(const KnownTensor* value);

// Bounds of a Slice, with an entry for each axis that it names; std::nullopt if they are unknown.
struct Cut {
  Integers starts, ends, axes, steps;
};
std::optional<Cut> cutOf(const Call& call);

// Tell whether it is a Reduce*, and which axes it removes, or keeps as ones; std::nullopt if these
// are unknown or wrong.
bool isReduction(const std::string& type);
std::optional<std::vector<bool>> reducedAxes(const Call& call, std::size_t rank);

// Returns the one scale of these axes in a Resize that keeps the aspect; std::nullopt if it does
// not, or sizes are unknown.
std::optional<float> keptAspect(const std::string& policy, const Integers& dims,
                                const std::vector<std::size_t>& axes, const Integers& sizes);

// Multiplies matrices of floats after batch axes, which are broadcast; std::nullopt if they do not
// fit. keepsB: see MatrixProduct.
Result matMul(const KnownTensor& a, const KnownTensor& b, const MatrixProduct* large,
              bool keepsB = false);

// Fold the two operators that read only dims. An unknown size is a negative number.
Result foldShape(const Node& node, const Integers& dims);
Result foldSize(const Integers& dims);

// Returns which dims a Shape gives of a value of this rank: [first, second).
std::pair<std::size_t, std::size_t> shapeSpan(const Node& node, std::size_t rank);

// Returns the number of elements of a Range; std::nullopt if it is unknown.
std::optional<std::int64_t> rangeCount(const KnownTensor* start, const KnownTensor* limit,
                                       const KnownTensor* delta);

}  // namespace mpm::onnx
