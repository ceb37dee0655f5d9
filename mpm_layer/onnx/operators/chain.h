// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

// Computes out[i] from x[i] and y[i], for so many; `out` may be either of them. a, b: the node's
// own numbers.
using ElementLoop = void (*)(const float* x, const float* y, float* out, std::size_t count, float a,
                             float b);

// Rule by which an element-wise node computes floats.
struct ElementRule {
  ElementLoop loop = nullptr;
  float a = 0, b = 0;
  int operands = 1;  // of its inputs, the first ones; from the third on `loop` takes what it made
};

// Returns std::nullopt for other nodes, and if a number is unknown, such as a Clip's limits. Reads
// the elements of inputs that are numbers of the node, not those of operands.
std::optional<ElementRule> elementRule(const Call& call);

// Computes e^x of each, in place.
void exponentials(float* x, std::size_t count);

// Element-wise steps over values of the same dims. They run piece by piece, so that intermediate
// values stay in the cache; threads share the pieces.
class Chain {
 public:
  explicit Chain(Integers dims);

  const Integers& dims() const { return dims_; }

  // Adds an input that is broadcast to the dims. Returns its slot; std::nullopt if it does not fit.
  std::optional<std::size_t> addSource(const Integers& dims);

  // Applies a rule to one slot or two. Returns the result's slot.
  std::size_t addStep(const ElementRule& rule, std::size_t first, std::size_t second);

  // Applies a rule to operands with slots slotOf(operand), or std::nullopt. Returns its slot.
  template <class SlotOf>
  std::optional<std::size_t> addRule(const ElementRule& rule, const SlotOf& slotOf) {
    std::optional<std::size_t> made = slotOf(0);
    if (rule.operands < 2 && made) return addStep(rule, *made, *made);
    for (int i = 1; i < rule.operands && made; ++i) {
      const std::optional<std::size_t> next = slotOf(i);
      if (!next) return std::nullopt;
      made = addStep(rule, *made, *next);
    }
    return made;
  }

  // sources: the added ones, in that order. results: slots of steps, and where they go.
  void run(const std::vector<const float*>& sources,
           const std::vector<std::pair<std::size_t, float*>>& results) const;

 private:
  // Axes of a source with joined ones counted once, from the outermost.
  struct Walk {
    Integers sizes;
    Strides steps;
  };
  struct Slot {
    ElementRule rule;  // without a loop: a source
    std::size_t first = 0, second = 0;
    std::size_t source = 0;
    Walk walk;
  };

  Walk walkOf(const Strides& strides) const;
  void runPiece(std::size_t begin, std::size_t end, const std::vector<const float*>& sources,
                const std::vector<float*>& results) const;

  Integers dims_;
  std::size_t count_ = 0, sources_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace mpm::onnx
