// SPDX-License-Identifier: Apache-2.0
// Operators that compute with pairs of elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

enum class Operation { add, sub, mul, div, mod, pow, min, max };

bool divides(std::int64_t a, std::int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min());
}

// With the divisor's sign, as in Python.
std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

bool power(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  if (exponent < 0) return false;
  result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0 && __builtin_mul_overflow(result, base, &result)) return false;
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return false;
  }
  return true;
}

// False where the result is no number of its type.
bool calculate(Operation operation, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (operation) {
    case Operation::add:
      return !__builtin_add_overflow(a, b, &result);
    case Operation::sub:
      return !__builtin_sub_overflow(a, b, &result);
    case Operation::mul:
      return !__builtin_mul_overflow(a, b, &result);
    case Operation::div:
      if (!divides(a, b)) return false;
      result = a / b;
      return true;
    case Operation::mod:
      if (!divides(a, b)) return false;
      result = modulo(a, b);
      return true;
    case Operation::pow:
      return power(a, b, result);
    case Operation::min:
      result = std::min(a, b);
      return true;
    case Operation::max:
      result = std::max(a, b);
      return true;
  }
  return false;
}

// IEEE's answer for a division by zero, which the language leaves open.
float quotient(float a, float b) {
  if (b != 0) return a / b;
  if (a == 0 || std::isnan(a)) return std::numeric_limits<float>::quiet_NaN();
  return std::copysign(std::numeric_limits<float>::infinity(), a) * std::copysign(1.0f, b);
}

float calculate(Operation operation, float a, float b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::sub:
      return a - b;
    case Operation::mul:
      return a * b;
    case Operation::div:
      return quotient(a, b);
    case Operation::mod:
      return std::fmod(a, b);
    case Operation::pow:
      return std::pow(a, b);
    case Operation::min:
      return std::isnan(a) || a < b ? a : b;
    case Operation::max:
      return std::isnan(a) || a > b ? a : b;
  }
  return 0;
}

// A neutral second operand leaves what it stands beside as it is, known or not.
bool isNeutral(Operation operation, std::int64_t b) {
  return (operation == Operation::add && b == 0) || (operation == Operation::sub && b == 0) ||
         (operation == Operation::mul && b == 1) || (operation == Operation::div && b == 1);
}

Result combine(const Known* first, const Known* second, Operation operation) {
  auto both = broadcast(first, second);
  if (!both || both->first.type == TensorProto::BOOL) return std::nullopt;
  Known& a = both->first;
  const Known& b = both->second;
  if (a.isFloat() && a.isSure() && b.isSure()) {
    forEachPiece(a.count(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        a.floats[i] = calculate(operation, a.floats[i], b.floats[i]);
    });
    return std::move(a);
  }
  for (std::size_t i = 0; i < a.count(); ++i) {
    if (!a.sure[i] || !b.sure[i]) {
      const bool stays = !a.isFloat() && b.sure[i] && isNeutral(operation, b.integers[i]);
      if (!stays) a.forget(i);
    } else if (a.isFloat()) {
      a.floats[i] = calculate(operation, a.floats[i], b.floats[i]);
    } else if (!calculate(operation, a.integers[i], b.integers[i], a.integers[i]) ||
               !fits(a.integers[i], a.type)) {
      return std::nullopt;
    }
  }
  return std::move(a);
}

Result combine(const Call& call, Operation operation) {
  return combine(call.input(0), call.input(1), operation);
}

Result combineAll(const Call& call, Operation operation) {
  if (!call.input(0)) return std::nullopt;
  Result result = *call.input(0);
  for (std::size_t i = 1; i < call.inputs.size() && result; ++i) {
    result = combine(&*result, call.input(i), operation);
  }
  return result;
}

}  // namespace

Result foldAdd(const Call& call) { return combine(call, Operation::add); }
Result foldSub(const Call& call) { return combine(call, Operation::sub); }
Result foldMul(const Call& call) { return combine(call, Operation::mul); }
Result foldDiv(const Call& call) { return combine(call, Operation::div); }
Result foldMin(const Call& call) { return combineAll(call, Operation::min); }
Result foldMax(const Call& call) { return combineAll(call, Operation::max); }
Result foldSum(const Call& call) { return combineAll(call, Operation::add); }

Result foldMean(const Call& call) {
  Result result = combineAll(call, Operation::add);
  if (!result || !result->isFloat()) return std::nullopt;
  for (float& value : result->floats) value /= static_cast<float>(call.inputs.size());
  return result;
}

// x where it is not negative, else its product with a slope.
Result foldPRelu(const Call& call) {
  Result result = combine(call, Operation::mul);
  const Known* data = call.input(0);
  if (!result || !result->isFloat() || result->dims != data->dims) return std::nullopt;
  for (std::size_t i = 0; i < result->count(); ++i) {
    if (!(data->floats[i] < 0)) result->floats[i] = data->floats[i];
  }
  return result;
}

Result foldMod(const Call& call) {
  // fmod takes the sign of the dividend, and is the only way for floats.
  const bool isFmod = intAttribute(call.node, "fmod").value_or(0) != 0;
  if (!call.input(0) || call.input(0)->isFloat() != isFmod) return std::nullopt;
  return combine(call, Operation::mod);
}

Result foldPow(const Call& call) {
  const Known *base = call.input(0), *exponent = call.input(1);
  if (!base || !exponent || base->type == exponent->type) return combine(call, Operation::pow);
  if (!base->isFloat() || exponent->type == TensorProto::BOOL) return std::nullopt;
  Result converted = emptyKnown(base->type, exponent->dims);
  if (!converted) return std::nullopt;
  converted->sure = exponent->sure;
  for (std::size_t i = 0; i < converted->count(); ++i) {
    converted->floats[i] = static_cast<float>(exponent->integers[i]);
  }
  return combine(base, &*converted, Operation::pow);
}

}  // namespace mpm::onnx
