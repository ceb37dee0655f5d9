// SPDX-License-Identifier: Apache-2.0
// Operators that make a value out of shapes and numbers.
#include <algorithm>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {

Dims shapeShape(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return Integers{kUnknown};
  const auto [start, end] = shapeSpan(call.node, data->size());
  return Integers{static_cast<std::int64_t>(end - start)};
}

Dims shapeScalar(const Call&) { return Integers{}; }

Dims shapeConstantOfShape(const Call& call) {
  const Integers* size = call.dims(0);
  if (!size || size->size() != 1 || !isNumber((*size)[0]) || (*size)[0] > 64) return std::nullopt;
  Integers dims(static_cast<std::size_t>((*size)[0]), kUnknown);
  const Known* list = call.list(0);
  for (std::size_t i = 0; list && !list->isFloat() && i < dims.size(); ++i) {
    if (list->sure[i] && list->integers[i] < 0) return std::nullopt;
    dims[i] = list->sure[i] ? list->integers[i] : std::min(list->integers[i], kUnknown);
  }
  return dims;
}

Dims shapeRange(const Call& call) {
  return Integers{rangeCount(call.list(0), call.list(1), call.list(2)).value_or(kUnknown)};
}

Dims shapeNonZero(const Call& call) {
  const Integers* data = call.dims(0);
  return Integers{data ? static_cast<std::int64_t>(data->size()) : kUnknown, kUnknown};
}

Dims shapeOneHot(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(-1), dims->size() + 1);
  if (!axis) return std::nullopt;
  const Known* depth = call.list(1);
  const bool isKnown = depth && !depth->isFloat() && depth->count() == 1 && depth->sure[0];
  dims->insert(dims->begin() + static_cast<std::ptrdiff_t>(*axis),
               isKnown ? std::max(depth->integers[0], kUnknown) : kUnknown);
  return dims;
}

}  // namespace mpm::onnx
