// SPDX-License-Identifier: Apache-2.0
// Operators that compute element by element: with pairs, with one, comparisons and choices.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known.h"
#include "onnx/operators/table.h"

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

// Operators that compute with one element each.

using std::exp;
using std::log1p;

// An attribute of a function, and its default.
struct Parameter {
  const char* name = nullptr;
  float value = 0;
};

struct Function {
  float (*compute)(float x, float a, float b);
  Parameter a{}, b{};
};

float reciprocal(float x) {
  return x != 0 ? 1 / x : std::copysign(std::numeric_limits<float>::infinity(), x);
}

float sigmoid(float x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }

float softplus(float x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

// Not the same as clamp for NaN, which stays.
float between(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

float sign(float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; }

float elu(float x, float a, float b) { return b * (x > 0 ? x : a * std::expm1(x)); }

const std::unordered_map<std::string, Function>& functions() {
  using F = float;
  static const std::unordered_map<std::string, Function> all = {
      {"Abs", {[](F x, F, F) { return std::fabs(x); }}},
      {"Acos", {[](F x, F, F) { return std::acos(x); }}},
      {"Acosh", {[](F x, F, F) { return std::acosh(x); }}},
      {"Affine", {[](F x, F a, F b) { return a * x + b; }, {"alpha", 1}, {"beta", 0}}},
      {"Asin", {[](F x, F, F) { return std::asin(x); }}},
      {"Asinh", {[](F x, F, F) { return std::asinh(x); }}},
      {"Atan", {[](F x, F, F) { return std::atan(x); }}},
      {"Atanh", {[](F x, F, F) { return std::atanh(x); }}},
      {"Ceil", {[](F x, F, F) { return std::ceil(x); }}},
      {"Celu", {[](F x, F a, F) { return x > 0 ? x : a * std::expm1(x / a); }, {"alpha", 1}}},
      {"Cos", {[](F x, F, F) { return std::cos(x); }}},
      {"Cosh", {[](F x, F, F) { return std::cosh(x); }}},
      {"Elu", {elu, {"alpha", 1}, {nullptr, 1}}},
      {"Erf", {[](F x, F, F) { return std::erf(x); }}},
      {"Exp", {[](F x, F, F) { return exp(x); }}},
      {"Floor", {[](F x, F, F) { return std::floor(x); }}},
      {"HardSigmoid",
       {[](F x, F a, F b) { return between(a * x + b, 0, 1); }, {"alpha", 0.2F}, {"beta", 0.5F}}},
      {"HardSwish", {[](F x, F, F) { return x * between(x / 6 + 0.5F, 0, 1); }}},
      {"LeakyRelu", {[](F x, F a, F) { return x < 0 ? a * x : x; }, {"alpha", 0.01F}}},
      {"Log", {[](F x, F, F) { return std::log(x); }}},
      {"Mish", {[](F x, F, F) { return x * std::tanh(softplus(x)); }}},
      {"Neg", {[](F x, F, F) { return -x; }}},
      {"Reciprocal", {[](F x, F, F) { return reciprocal(x); }}},
      {"Relu", {[](F x, F, F) { return x < 0 ? 0 : x; }}},
      {"Round", {[](F x, F, F) { return std::nearbyint(x); }}},
      {"ScaledTanh",
       {[](F x, F a, F b) { return a * std::tanh(b * x); }, {"alpha", 1}, {"beta", 1}}},
      {"Selu", {elu, {"alpha", 1.67326319F}, {"gamma", 1.05070102F}}},
      {"Shrink",
       {[](F x, F a, F b) { return x < -a  ? x + b
                                   : x > a ? x - b
                                           : 0; },
        {"lambd", 0.5F},
        {"bias", 0}}},
      {"Sigmoid", {[](F x, F, F) { return sigmoid(x); }}},
      {"Sign", {[](F x, F, F) { return sign(x); }}},
      {"Sin", {[](F x, F, F) { return std::sin(x); }}},
      {"Sinh", {[](F x, F, F) { return std::sinh(x); }}},
      {"Softplus", {[](F x, F, F) { return softplus(x); }}},
      {"Softsign", {[](F x, F, F) { return x / (1 + std::fabs(x)); }}},
      {"Sqrt", {[](F x, F, F) { return std::sqrt(x); }}},
      {"Swish", {[](F x, F a, F) { return x * sigmoid(a * x); }, {"alpha", 1}}},
      {"Tan", {[](F x, F, F) { return std::tan(x); }}},
      {"Tanh", {[](F x, F, F) { return std::tanh(x); }}},
      {"ThresholdedRelu", {[](F x, F a, F) { return x > a ? x : 0; }, {"alpha", 1}}},
  };
  return all;
}

float valueOf(const Node& node, const Parameter& parameter) {
  if (parameter.name == nullptr) return parameter.value;
  return floatAttribute(node, parameter.name).value_or(parameter.value);
}

Result each(const Known* data, const Function& function, float a, float b) {
  if (!data || !data->isFloat()) return std::nullopt;
  Known result = *data;
  forEachPiece(result.floats.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      result.floats[i] = function.compute(result.floats[i], a, b);
  });
  return result;
}

// Abs and Neg of whole numbers; nothing where one has no negative.
Result negated(const Known& source, bool onlyNegative) {
  if (source.type == ::onnx::TensorProto::BOOL) return std::nullopt;
  Known result = source;
  for (std::size_t i = 0; i < result.count(); ++i) {
    std::int64_t& value = result.integers[i];
    if (!result.sure[i]) {
      result.forget(i);
    } else if (!onlyNegative || value < 0) {
      if (value == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
      value = -value;
      if (!fits(value, result.type)) return std::nullopt;
    }
  }
  return result;
}

template <class Test>
Result tested(const Call& call, const Test& test) {
  const Known* data = call.input(0);
  if (!data || !data->isFloat()) return std::nullopt;
  Result result = emptyKnown(::onnx::TensorProto::BOOL, data->dims);
  if (!result) return std::nullopt;
  result->sure = data->sure;
  for (std::size_t i = 0; i < data->count(); ++i) result->integers[i] = test(data->floats[i]);
  return result;
}

// A Clip of whole numbers: their limits are inputs of one element each.
Result clipIntegers(const Call& call, const Known& data) {
  if (!data.isSure()) return std::nullopt;
  Result result = data;
  for (const std::size_t input : {std::size_t{1}, std::size_t{2}}) {
    if (!call.has(input)) continue;
    const Integers* limit = call.parameters(input);
    if (!limit || limit->size() != 1) return std::nullopt;
    for (std::int64_t& value : result->integers) {
      value = input == 1 ? std::max(value, limit->front()) : std::min(value, limit->front());
    }
  }
  return result;
}

Result foldFunction(const Call& call) {
  const Known* data = call.input(0);
  const std::string& type = call.node.op_type();
  if (data && !data->isFloat() && (type == "Abs" || type == "Neg")) {
    return negated(*data, type == "Abs");
  }
  const Function& function = functions().at(type);
  return each(data, function, valueOf(call.node, function.a), valueOf(call.node, function.b));
}

Result foldGelu(const Call& call) {
  const auto kind = stringAttribute(call.node, "approximate").value_or("none");
  if (kind == "none") {
    return each(call.input(0),
                {[](float x, float a, float) { return 0.5F * x * (1 + std::erf(x * a)); }},
                0.70710678F, 0);
  }
  if (kind != "tanh") return std::nullopt;
  const auto tanhGelu = [](float x, float a, float b) {
    return 0.5F * x * (1 + std::tanh(a * (x + b * x * x * x)));
  };
  return each(call.input(0), {tanhGelu}, 0.79788456F, 0.044715F);
}

// Limits are attributes before opset 11.
Result foldClip(const Call& call) {
  const Known* data = call.input(0);
  if (!data) return std::nullopt;
  if (!data->isFloat()) return clipIntegers(call, *data);
  const auto limit = [&](const char* name, std::size_t input, float otherwise) {
    if (!call.has(input)) return std::optional(floatAttribute(call.node, name).value_or(otherwise));
    const Known* known = call.input(input);
    const bool isSure = known && known->isFloat() && known->count() == 1 && known->isSure();
    return isSure ? std::optional(known->floats[0]) : std::nullopt;
  };
  const auto low = limit("min", 1, std::numeric_limits<float>::lowest());
  const auto high = limit("max", 2, std::numeric_limits<float>::max());
  if (!low || !high) return std::nullopt;
  const auto clip = [](float x, float a, float b) { return std::min(x < a ? a : x, b); };
  return each(data, {clip}, *low, *high);
}

Result foldIsNaN(const Call& call) {
  return tested(call, [](float value) { return std::isnan(value); });
}

Result foldIsInf(const Call& call) {
  const bool negative = intAttribute(call.node, "detect_negative").value_or(1) != 0;
  const bool positive = intAttribute(call.node, "detect_positive").value_or(1) != 0;
  return tested(call,
                [=](float x) { return std::isinf(x) && (std::signbit(x) ? negative : positive); });
}

// Comparisons, logic, and Where, which exporters use for "this dimension as it is".

template <typename Compare>
Result compare(const Call& call, Compare compare) {
  const auto both = broadcast(call.input(0), call.input(1));
  if (!both) return std::nullopt;
  const auto& [a, b] = *both;
  Result result = emptyKnown(TensorProto::BOOL, a.dims);
  if (!result) return std::nullopt;
  for (std::size_t i = 0; i < a.count(); ++i) {
    result->sure[i] = a.sure[i] && b.sure[i];
    if (!result->sure[i]) continue;
    result->integers[i] =
        a.isFloat() ? compare(a.floats[i], b.floats[i]) : compare(a.integers[i], b.integers[i]);
  }
  return result;
}

template <typename Combine>
Result logic(const Call& call, Combine combine) {
  if (!call.input(0) || call.input(0)->type != TensorProto::BOOL) return std::nullopt;
  return compare(call, [&](auto a, auto b) { return combine(a != 0, b != 0); });
}

// Whether two whole numbers, one or both the name of a size, are equal or not for certain: sizes
// are not negative.
std::optional<bool> equalNames(const Known& a, const Known& b, std::size_t i) {
  const auto isName = [i](const Known& known) { return !known.sure[i] && known.integers[i] < -1; };
  const auto isNegative = [i](const Known& known) {
    return known.sure[i] && known.integers[i] < 0;
  };
  if ((isName(a) && isNegative(b)) || (isName(b) && isNegative(a))) return false;
  if (isName(a) && isName(b) && a.integers[i] == b.integers[i]) return true;
  return std::nullopt;
}

Result foldEqual(const Call& call) {
  Result result = compare(call, std::equal_to<>());
  const auto both = result ? broadcast(call.input(0), call.input(1)) : std::nullopt;
  if (!both || both->first.isFloat()) return result;
  for (std::size_t i = 0; i < result->count(); ++i) {
    if (result->sure[i]) continue;
    const auto equal = equalNames(both->first, both->second, i);
    result->sure[i] = equal.has_value();
    result->integers[i] = equal.value_or(false);
  }
  return result;
}

Result foldLess(const Call& call) { return compare(call, std::less<>()); }
Result foldLessOrEqual(const Call& call) { return compare(call, std::less_equal<>()); }
Result foldGreater(const Call& call) { return compare(call, std::greater<>()); }
Result foldGreaterOrEqual(const Call& call) { return compare(call, std::greater_equal<>()); }
Result foldAnd(const Call& call) { return logic(call, std::logical_and<>()); }
Result foldOr(const Call& call) { return logic(call, std::logical_or<>()); }
Result foldXor(const Call& call) { return logic(call, std::not_equal_to<>()); }

Result foldNot(const Call& call) {
  if (!call.input(0) || call.input(0)->type != TensorProto::BOOL) return std::nullopt;
  Known result = *call.input(0);
  for (std::int64_t& value : result.integers) value = value == 0;
  return result;
}

Result foldWhere(const Call& call) {
  const Known* condition = call.input(0);
  if (!condition || condition->type != TensorProto::BOOL) return std::nullopt;
  const auto both = broadcast(call.input(1), call.input(2));
  if (!both) return std::nullopt;
  const auto dims = broadcastSizes(condition->dims, both->first.dims);
  if (!dims) return std::nullopt;
  const auto from = broadcastPlaces(condition->dims, *dims);
  const auto places = broadcastPlaces(both->first.dims, *dims);
  if (!from || !places) return std::nullopt;
  Known result = pick(both->first, *dims, *places);
  for (std::size_t i = 0; i < places->size(); ++i) {
    const std::size_t c = (*from)[i];
    if (!condition->integers[c]) {
      const std::size_t place = (*places)[i];
      withElements([&](auto& to, const auto& other) { to[i] = other[place]; }, result,
                   both->second);
      result.sure[i] = both->second.sure[place];
    }
    if (!condition->sure[c]) result.forget(i);
  }
  return result;
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

const Operators& elementwiseOperators() {
  static const Operators rows = {
      {"Add", first<shapeBroadcast>, one<foldAdd>},
      {"And", first<shapeBroadcast>, one<foldAnd>, always(TensorProto::BOOL)},
      {"Clip", first<shapeSame>, one<foldClip>},
      {"Div", first<shapeBroadcast>, one<foldDiv>},
      {"Dropout", shapeAllSame},
      {"Equal", first<shapeBroadcast>, one<foldEqual>, always(TensorProto::BOOL)},
      {"Gelu", first<shapeSame>, one<foldGelu>},
      {"Greater", first<shapeBroadcast>, one<foldGreater>, always(TensorProto::BOOL)},
      {"GreaterOrEqual", first<shapeBroadcast>, one<foldGreaterOrEqual>, always(TensorProto::BOOL)},
      {"IsInf", first<shapeSame>, one<foldIsInf>, always(TensorProto::BOOL)},
      {"IsNaN", first<shapeSame>, one<foldIsNaN>, always(TensorProto::BOOL)},
      {"Less", first<shapeBroadcast>, one<foldLess>, always(TensorProto::BOOL)},
      {"LessOrEqual", first<shapeBroadcast>, one<foldLessOrEqual>, always(TensorProto::BOOL)},
      {"Max", first<shapeBroadcast>, one<foldMax>},
      {"Mean", first<shapeBroadcast>, one<foldMean>},
      {"Min", first<shapeBroadcast>, one<foldMin>},
      {"Mod", first<shapeBroadcast>, one<foldMod>},
      {"Mul", first<shapeBroadcast>, one<foldMul>},
      {"Not", first<shapeSame>, one<foldNot>, always(TensorProto::BOOL)},
      {"Or", first<shapeBroadcast>, one<foldOr>, always(TensorProto::BOOL)},
      {"PRelu", first<shapeSame>, one<foldPRelu>},
      {"Pow", first<shapeBroadcast>, one<foldPow>},
      {"Sub", first<shapeBroadcast>, one<foldSub>},
      {"Sum", first<shapeBroadcast>, one<foldSum>},
      {"Where", first<shapeBroadcast>, one<foldWhere>, likeInput(1)},
      {"Xor", first<shapeBroadcast>, one<foldXor>, always(TensorProto::BOOL)},
      {"com.microsoft:BiasGelu", first<shapeSame>},
      {"com.microsoft:FastGelu", first<shapeSame>},
      {"com.microsoft:Gelu", first<shapeSame>},
      {"com.microsoft:QuickGelu", first<shapeSame>},
  };
  static const Operators all = [] {
    Operators withFunctions = rows;
    for (const auto& [name, function] : functions())
      withFunctions.push_back({name, first<shapeSame>, one<foldFunction>});
    return withFunctions;
  }();
  return all;
}

}  // namespace mpm::onnx
