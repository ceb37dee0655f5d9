// SPDX-License-Identifier: Apache-2.0
// Operators that compute with elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;
using Result = std::optional<Known>;

// False where the result is no number of its type.
bool calculate(char operation, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (operation) {
    case '+':
      return !__builtin_add_overflow(a, b, &result);
    case '-':
      return !__builtin_sub_overflow(a, b, &result);
    case '*':
      return !__builtin_mul_overflow(a, b, &result);
    default:
      if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
      result = a / b;
      return true;
  }
}

float calculate(char operation, float a, float b) {
  switch (operation) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      // IEEE's answer for a division by zero, which the language leaves open.
      if (b != 0) return a / b;
      if (a == 0 || std::isnan(a)) return std::numeric_limits<float>::quiet_NaN();
      return std::copysign(std::numeric_limits<float>::infinity(), a) * std::copysign(1.0f, b);
  }
}

Result arithmetic(const Call& call, char operation) {
  auto both = broadcast(call.input(0), call.input(1));
  if (!both || both->first.type == TensorProto::BOOL) return std::nullopt;
  auto& [a, b] = *both;
  for (std::size_t i = 0; i < a.count(); ++i) {
    a.sure[i] = a.sure[i] && b.sure[i];
    if (!a.sure[i]) continue;
    if (a.isFloat()) {
      a.floats[i] = calculate(operation, a.floats[i], b.floats[i]);
    } else if (!calculate(operation, a.integers[i], b.integers[i], a.integers[i]) ||
               !fits(a.integers[i], a.type)) {
      return std::nullopt;
    }
  }
  return a;
}

}  // namespace

std::optional<Known> foldAdd(const Call& call) { return arithmetic(call, '+'); }
std::optional<Known> foldSub(const Call& call) { return arithmetic(call, '-'); }
std::optional<Known> foldMul(const Call& call) { return arithmetic(call, '*'); }
std::optional<Known> foldDiv(const Call& call) { return arithmetic(call, '/'); }

std::optional<Known> foldSqrt(const Call& call) {
  if (!call.input(0) || !call.input(0)->isFloat()) return std::nullopt;
  Known result = *call.input(0);
  for (float& value : result.floats) value = std::sqrt(value);
  return result;
}

}  // namespace mpm::onnx
