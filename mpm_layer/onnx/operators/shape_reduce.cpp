// SPDX-License-Identifier: Apache-2.0
// Operators that make one element of many.
#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

Dims reduced(const Integers& data, const std::vector<bool>& marked, bool keepsDims) {
  Integers dims;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!marked[i]) {
      dims.push_back(data[i]);
    } else if (keepsDims) {
      dims.push_back(1);
    }
  }
  return dims;
}

bool keepsDims(const Call& call) { return intAttribute(call.node, "keepdims").value_or(1) != 0; }

}  // namespace

std::optional<std::vector<bool>> reducedAxes(const Call& call, std::size_t rank) {
  auto axes = call.list("axes", 1);
  if (!axes && call.leavesOut("axes", 1)) axes.emplace();
  auto marked = axes ? markAxes(*axes, rank) : std::nullopt;
  if (!marked || !axes->empty()) return marked;
  const bool isNoop = intAttribute(call.node, "noop_with_empty_axes").value_or(0) != 0;
  marked->assign(rank, !isNoop);
  return marked;
}

Dims shapeReduce(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return std::nullopt;
  if (!call.list("axes", 1) && !call.leavesOut("axes", 1))
    return keepsDims(call) ? Dims(Integers(data->size(), kUnknown)) : std::nullopt;
  const auto marked = reducedAxes(call, data->size());
  if (!marked) return std::nullopt;
  return reduced(*data, *marked, keepsDims(call));
}

Dims shapeArg(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return std::nullopt;
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(0), data->size());
  if (!axis) return std::nullopt;
  std::vector<bool> marked(data->size(), false);
  marked[*axis] = true;
  return reduced(*data, marked, keepsDims(call));
}

}  // namespace mpm::onnx
