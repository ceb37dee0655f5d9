// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

}  // namespace mpm::onnx
