// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "onnx/known.h"

namespace mpm::onnx {

// One node and what is known of its inputs; null for those that are left out or not known at all.
struct Call {
  const Node& node;
  std::vector<const Known*> inputs;

  const Known* input(std::size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }

  // An input of whole numbers that are all sure, else null.
  const Integers* parameters(std::size_t i) const;

  // A list that is an attribute in old opsets and an input in new ones; nothing where not known.
  std::optional<Integers> list(const char* attribute, std::size_t input) const;
};

// Each gives the node's result and says which elements of it are sure; nothing where it cannot be
// computed (see fold.h).
std::optional<Known> foldGather(const Call& call);
std::optional<Known> foldSlice(const Call& call);
std::optional<Known> foldUnsqueeze(const Call& call);
std::optional<Known> foldSqueeze(const Call& call);
std::optional<Known> foldReshape(const Call& call);
std::optional<Known> foldConcat(const Call& call);
std::optional<Known> foldTranspose(const Call& call);
std::optional<Known> foldExpand(const Call& call);
std::optional<Known> foldAdd(const Call& call);
std::optional<Known> foldSub(const Call& call);
std::optional<Known> foldMul(const Call& call);
std::optional<Known> foldDiv(const Call& call);
std::optional<Known> foldSqrt(const Call& call);
std::optional<Known> foldEqual(const Call& call);
std::optional<Known> foldWhere(const Call& call);
std::optional<Known> foldCast(const Call& call);
std::optional<Known> foldConstantOfShape(const Call& call);
std::optional<Known> foldRange(const Call& call);

// Places of elements in a source, in the order of a result: what pick() takes.
using Places = std::vector<std::size_t>;

// All of them, as they are.
Places samePlaces(const Known& source);

// The element of `from` that is broadcast to each element of `to`; nothing where `from` does not
// fit or `to` is too large.
std::optional<Places> broadcastPlaces(const Integers& from, const Integers& to);
std::optional<Integers> broadcastDims(const Integers& a, const Integers& b);

// Both operands in their common shape; nothing where they have none or differ in type.
std::optional<std::pair<Known, Known>> broadcast(const Known* a, const Known* b);

// Product of dims[begin..end), which are small.
std::size_t product(const Integers& dims, std::size_t begin, std::size_t end);

// Which of the axes are named; nothing where one is out of range or named twice.
std::optional<std::vector<bool>> markAxes(const Integers& axes, std::size_t rank);

}  // namespace mpm::onnx
