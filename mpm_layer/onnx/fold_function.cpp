// SPDX-License-Identifier: Apache-2.0
// Operators that compute with one element each.
#include <cmath>
#include <limits>

#include "onnx/fold_ops.h"

namespace mpm::onnx {
namespace {

template <typename Function>
Result each(const Call& call, Function function) {
  if (!call.input(0) || !call.input(0)->isFloat()) return std::nullopt;
  Known result = *call.input(0);
  for (float& value : result.floats) value = function(value);
  return result;
}

// Whole numbers; nothing where one has no negative.
template <typename Choose>
Result negated(const Known& source, Choose choose) {
  if (source.type == ::onnx::TensorProto::BOOL) return std::nullopt;
  Known result = source;
  for (std::size_t i = 0; i < result.count(); ++i) {
    std::int64_t& value = result.integers[i];
    if (!result.sure[i]) {
      result.forget(i);
    } else if (choose(value)) {
      if (value == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
      value = -value;
      if (!fits(value, result.type)) return std::nullopt;
    }
  }
  return result;
}

}  // namespace

Result foldAbs(const Call& call) {
  const Known* data = call.input(0);
  if (data && !data->isFloat()) return negated(*data, [](std::int64_t value) { return value < 0; });
  return each(call, [](float value) { return std::fabs(value); });
}

Result foldNeg(const Call& call) {
  const Known* data = call.input(0);
  if (data && !data->isFloat()) return negated(*data, [](std::int64_t) { return true; });
  return each(call, [](float value) { return -value; });
}

Result foldReciprocal(const Call& call) {
  return each(call, [](float value) {
    return value != 0 ? 1 / value : std::copysign(std::numeric_limits<float>::infinity(), value);
  });
}

Result foldCeil(const Call& call) {
  return each(call, [](float value) { return std::ceil(value); });
}

Result foldFloor(const Call& call) {
  return each(call, [](float value) { return std::floor(value); });
}

Result foldCos(const Call& call) {
  return each(call, [](float value) { return std::cos(value); });
}

Result foldSin(const Call& call) {
  return each(call, [](float value) { return std::sin(value); });
}

Result foldExp(const Call& call) {
  return each(call, [](float value) { return std::exp(value); });
}

Result foldSqrt(const Call& call) {
  return each(call, [](float value) { return std::sqrt(value); });
}

}  // namespace mpm::onnx
