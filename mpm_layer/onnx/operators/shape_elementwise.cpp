// SPDX-License-Identifier: Apache-2.0
// Operators that work on each element, and normalisations.
#include "onnx/graph/attribute.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

Shapes forOutputs(const Call& call, const Dims& first, const Dims& others) {
  Shapes shapes(static_cast<std::size_t>(call.node.output_size()), others);
  if (!shapes.empty()) shapes[0] = first;
  return shapes;
}

}  // namespace

Dims shapeSame(const Call& call) { return call.copyOf(0); }

Shapes shapeAllSame(const Call& call) {
  // Dropout and the like have two outputs; more are not worth the memory.
  const Dims dims = call.copyOf(0);
  return {dims, dims};
}

Dims shapeBroadcast(const Call& call) {
  Dims result = call.copyOf(0);
  for (int i = 1; i < call.node.input_size() && result; ++i) {
    const Integers* next = call.dims(static_cast<std::size_t>(i));
    if (!next) return std::nullopt;
    result = broadcastSizes(*result, *next);
  }
  return result;
}

Shapes shapeNormalization(const Call& call) {
  const Dims dims = call.copyOf(0);
  if (!dims) return {};
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(-1), dims->size());
  if (!axis) return {dims};
  Integers means = *dims;  // of the mean and the inverse deviation
  for (std::size_t i = *axis; i < means.size(); ++i) means[i] = 1;
  return {dims, means, means};
}

Shapes shapeBatchNormalization(const Call& call) {
  return forOutputs(call, call.copyOf(0), call.copyOf(1));
}

}  // namespace mpm::onnx
