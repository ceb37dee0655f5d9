// SPDX-License-Identifier: Apache-2.0
// Equal and Where, which exporters use for "this dimension as it is".
#include "onnx/fold_ops.h"

namespace mpm::onnx {

std::optional<Known> foldEqual(const Call& call) {
  const auto both = broadcast(call.input(0), call.input(1));
  if (!both) return std::nullopt;
  const auto& [a, b] = *both;
  std::optional<Known> result = emptyKnown(::onnx::TensorProto::BOOL, a.dims);
  if (!result) return std::nullopt;
  for (std::size_t i = 0; i < a.count(); ++i) {
    result->integers[i] = a.isFloat() ? a.floats[i] == b.floats[i] : a.integers[i] == b.integers[i];
    result->sure[i] = a.sure[i] && b.sure[i];
  }
  return result;
}

std::optional<Known> foldWhere(const Call& call) {
  const Known* condition = call.input(0);
  if (!condition || condition->type != ::onnx::TensorProto::BOOL) return std::nullopt;
  const auto both = broadcast(call.input(1), call.input(2));
  if (!both) return std::nullopt;
  const auto dims = broadcastDims(condition->dims, both->first.dims);
  if (!dims) return std::nullopt;
  const auto from = broadcastPlaces(condition->dims, *dims);
  const auto places = broadcastPlaces(both->first.dims, *dims);
  if (!from || !places) return std::nullopt;
  Known result = pick(both->first, *dims, *places);
  for (std::size_t i = 0; i < places->size(); ++i) {
    const std::size_t c = (*from)[i];
    if (!condition->integers[c]) {
      const std::size_t place = (*places)[i];
      if (result.isFloat()) {
        result.floats[i] = both->second.floats[place];
      } else {
        result.integers[i] = both->second.integers[place];
      }
      result.sure[i] = both->second.sure[place];
    }
    result.sure[i] = result.sure[i] && condition->sure[c];
  }
  return result;
}

}  // namespace mpm::onnx
