// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/known.h"
#include "onnx/proto.h"

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

  // Whether that list is left out altogether.
  bool leavesOut(const char* attribute, std::size_t input) const;
};

using Result = std::optional<Known>;
using Results = std::vector<Result>;  // by output
using Folder = Results (*)(const Call& call);

// Who computes a node of ONNX's own domain, or null.
Folder findFolder(const Node& node);

// Each gives the node's result and says which elements of it are sure; nothing where it cannot be
// computed (see fold.h). Their time and memory are in proportion to what they read and make.

// fold_select.cpp
Result foldGather(const Call& call);
Result foldSlice(const Call& call);
Results foldSplit(const Call& call);

// fold_shape.cpp
Result foldUnsqueeze(const Call& call);
Result foldSqueeze(const Call& call);
Result foldReshape(const Call& call);
Result foldFlatten(const Call& call);
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

// fold_function.cpp
Result foldAbs(const Call& call);
Result foldCeil(const Call& call);
Result foldCos(const Call& call);
Result foldExp(const Call& call);
Result foldFloor(const Call& call);
Result foldNeg(const Call& call);
Result foldReciprocal(const Call& call);
Result foldSin(const Call& call);
Result foldSqrt(const Call& call);

// fold_choice.cpp
Result foldEqual(const Call& call);
Result foldLess(const Call& call);
Result foldLessOrEqual(const Call& call);
Result foldGreater(const Call& call);
Result foldGreaterOrEqual(const Call& call);
Result foldAnd(const Call& call);
Result foldOr(const Call& call);
Result foldNot(const Call& call);
Result foldWhere(const Call& call);

// fold_reduce.cpp
Result foldReduceMean(const Call& call);
Result foldReduceProd(const Call& call);
Result foldReduceSum(const Call& call);

// fold_resize.cpp: float32, all of it known; not with antialias, roi or an aspect ratio to keep.
Result foldResize(const Call& call);

// fold_make.cpp
Result foldCast(const Call& call);
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
