// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/columns.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

bool areAll(const Node& node, const char* name, std::int64_t wanted) {
  const auto values = intsAttribute(node, name).value_or(Integers{});
  return std::all_of(values.begin(), values.end(), [&](auto value) { return value == wanted; });
}

// The rank of columns that a convolution makes, each of that column alone; 0 for other nodes.
std::size_t rankOfLayer(const Model& model, const Node& node) {
  if (!isOp(node, "Conv") || !hasInput(node, 0) || !hasInput(node, 1)) return 0;
  const auto weight = model.constant(node.input(1));
  if (!weight || !weight->isFloating() || weight->dims().size() < 3 || weight->dims().size() > 4 ||
      weight->count() < 1 || intAttribute(node, "group").value_or(1) != 1 ||
      !areAll(node, "strides", 1) || !areAll(node, "pads", 0))
    return 0;
  const Integers& dims = weight->dims();
  const bool isOfOne =
      std::all_of(dims.begin() + 2, dims.end(), [](std::int64_t taps) { return taps == 1; });
  const auto bias = hasInput(node, 2) ? model.constant(node.input(2)) : std::nullopt;
  const bool fits = !hasInput(node, 2) || (bias && bias->isFloating() && bias->dims().size() == 1 &&
                                           bias->count() == dims[0]);
  return isOfOne && fits ? dims.size() : 0;
}

// The rank of columns for each of which a node gives a number, in place of its features.
std::size_t rankOfSum(const Model& model, const DimsOf& dimsOf, const Node& node) {
  if (!isAny(node, {"ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL2"}) ||
      !hasInput(node, 0) || intAttribute(node, "keepdims").value_or(1) != 1)
    return 0;
  const Integers* dims = dimsOf(node.input(0));
  if (dims == nullptr || dims->size() < 3 || dims->size() > 4) return 0;
  Integers axes = intsAttribute(node, "axes").value_or(Integers{});
  if (hasInput(node, 1)) {
    const auto constant = model.constant(node.input(1));
    if (!constant || !constant->isInteger()) return 0;
    axes = constant->integers();
  }
  return axes.size() == 1 && axisOf(axes.front(), dims->size()) == 1U ? dims->size() : 0;
}

}  // namespace

ColumnStep columnStep(const Model& model, const DimsOf& dimsOf, const Node& node,
                      std::size_t& rank) {
  if (node.output_size() != 1) return ColumnStep::none;
  if ((rank = rankOfLayer(model, node)) > 0) return ColumnStep::layer;
  if ((rank = rankOfSum(model, dimsOf, node)) > 0) return ColumnStep::sum;
  return isElementWise(node) ? ColumnStep::function : ColumnStep::none;
}

bool isBesideColumns(const Model& model, const std::string& value, std::size_t rank) {
  const auto constant = model.constant(value);
  if (!constant || constant->dims().size() > rank) return false;
  const Integers& dims = constant->dims();
  return constant->count() == 1 || (constant->isFloating() && dims.size() + 1 >= rank &&
                                    dims[dims.size() + 1 - rank] == constant->count());
}

Integers toRows(std::size_t rank) { return rank == 3 ? Integers{0, 2, 1} : Integers{0, 2, 3, 1}; }

Integers toColumns(std::size_t rank) {
  return rank == 3 ? Integers{0, 2, 1} : Integers{0, 3, 1, 2};
}

}  // namespace mpm::onnx
