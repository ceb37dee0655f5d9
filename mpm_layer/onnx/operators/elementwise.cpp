// SPDX-License-Identifier: Apache-2.0
// Operators that compute element by element: from pairs, from one element, comparisons and choices.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>

#include "onnx/graph/attribute.h"
#include "onnx/operators/chain.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;
using std::log1p;
using F = float;

static_assert(std::numeric_limits<float>::is_iec559, "1 / 0 is infinite");

template <auto function>
void alone(const float* x, const float* /*y*/, float* out, std::size_t count, float a, float b) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(x[i], a, b);
}

template <auto function>
void paired(const float* x, const float* y, float* out, std::size_t count, float /*a*/,
            float /*b*/) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(x[i], y[i]);
}

// Operators that compute with pairs.

bool divides(std::int64_t a, std::int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min());
}

// Takes the divisor's sign, as in Python.
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

// Returns false if the result does not exist or overflows.
using WholeRule = bool (*)(std::int64_t a, std::int64_t b, std::int64_t& result);

// An operator on pairs of floats or integers. `neutral`: the second operand that leaves the first
// as it is, known or not. isForMany: it takes any number of operands.
struct PairRule {
  ElementLoop floats = nullptr;
  WholeRule whole = nullptr;
  std::optional<std::int64_t> neutral = {};
  bool isForMany = false;
};

const PairRule* findPair(const std::string& type) {
  using W = std::int64_t;
  static const WholeRule add = [](W a, W b, W& to) { return !__builtin_add_overflow(a, b, &to); };
  static const WholeRule remainder = [](W a, W b, W& to) {
    to = divides(a, b) ? modulo(a, b) : 0;
    return divides(a, b);
  };
  static const WholeRule sub = [](W a, W b, W& to) { return !__builtin_sub_overflow(a, b, &to); };
  static const WholeRule mul = [](W a, W b, W& to) { return !__builtin_mul_overflow(a, b, &to); };
  static const WholeRule div = [](W a, W b, W& to) {
    to = divides(a, b) ? a / b : 0;
    return divides(a, b);
  };
  static const WholeRule min = [](W a, W b, W& to) {
    to = std::min(a, b);
    return true;
  };
  static const WholeRule max = [](W a, W b, W& to) {
    to = std::max(a, b);
    return true;
  };
  static const std::unordered_map<std::string, PairRule> all = {
      {"Add", {paired<std::plus<F>{}>, add, 0}},
      {"Sub", {paired<std::minus<F>{}>, sub, 0}},
      {"Mul", {paired<std::multiplies<F>{}>, mul, 1}},
      {"Div", {paired<std::divides<F>{}>, div, 1}},
      {"Mod", {paired<[](F a, F b) { return std::fmod(a, b); }>, remainder}},
      {"Pow", {paired<[](F a, F b) { return std::pow(a, b); }>, power}},
      {"Min", {paired<[](F a, F b) { return std::isnan(a) || a < b ? a : b; }>, min, {}, true}},
      {"Max", {paired<[](F a, F b) { return std::isnan(a) || b < a ? a : b; }>, max, {}, true}},
      {"Sum", {paired<std::plus<F>{}>, add, 0, true}},
      {"PRelu", {paired<[](F x, F slope) { return x < 0 ? x * slope : x; }>, nullptr}},
  };
  const auto found = all.find(type);
  return found == all.end() ? nullptr : &found->second;
}

// Combines integers in their common shape.
Result combineWhole(const KnownTensor* first, const KnownTensor* second, const PairRule& rule) {
  auto both = broadcast(first, second);
  if (!both || both->first.type == TensorProto::BOOL || rule.whole == nullptr) return std::nullopt;
  KnownTensor& a = both->first;
  const KnownTensor& b = both->second;
  for (std::size_t i = 0; i < a.count(); ++i) {
    if (!a.isSure(i) || !b.isSure(i)) {
      if (!b.isSure(i) || b.integers[i] != rule.neutral) a.forget(i);
    } else if (!rule.whole(a.integers[i], b.integers[i], a.integers[i]) ||
               !fits(a.integers[i], a.type)) {
      return std::nullopt;
    }
  }
  return std::move(a);
}

// Returns which elements are sure if each combines one of either operand.
std::vector<char> bothSure(const KnownTensor& made, const KnownTensor& other) {
  if (other.sure.empty()) return made.sure;
  const auto places = broadcastPlaces(other.dims, made.dims);
  std::vector<char> sure(made.count());
  for (std::size_t i = 0; i < sure.size(); ++i)
    sure[i] = static_cast<char>(made.isSure(i) && other.sure[(*places)[i]] != 0);
  return sure;
}

Result combineFloats(const Call& call, const ElementRule& rule) {
  std::vector<const float*> sources;
  Dims dims;
  for (int i = 0; i < rule.operands; ++i) {
    const KnownTensor* operand = call.input(static_cast<std::size_t>(i));
    if (!operand || !operand->isFloat()) return std::nullopt;
    dims = dims ? broadcastSizes(*dims, operand->dims) : operand->dims;
    if (!dims || !smallCount(*dims)) return std::nullopt;
    sources.push_back(operand->floats.data());
  }
  Result result = dims ? unwritten(TensorProto::FLOAT, *dims) : std::nullopt;
  if (!result) return std::nullopt;
  Chain chain(*dims);
  const auto made = chain.addRule(
      rule, [&](int i) { return chain.addSource(call.input(static_cast<std::size_t>(i))->dims); });
  if (!made) return std::nullopt;
  chain.run(sources, {{*made, result->floats.write()}});
  for (int i = 0; i < rule.operands; ++i)
    result->sure = bothSure(*result, *call.input(static_cast<std::size_t>(i)));
  return result;
}

Result foldPairs(const Call& call) {
  const std::string& type = call.node.op_type();
  const KnownTensor* first = call.input(0);
  if (!first) return std::nullopt;
  // fmod takes the sign of the dividend, and is the only way for floats.
  if (type == "Mod" && first->isFloat() != (intAttribute(call.node, "fmod").value_or(0) != 0))
    return std::nullopt;
  if (first->isFloat()) {
    const auto rule = elementRule(call);
    return rule ? combineFloats(call, *rule) : std::nullopt;
  }
  const PairRule& rule = *findPair(type);
  if (!rule.isForMany) return combineWhole(first, call.input(1), rule);
  Result result = *first;
  for (std::size_t i = 1; i < call.inputs.size() && result; ++i)
    result = combineWhole(&*result, call.input(i), rule);
  return result;
}

// Computes floats only.
Result foldMean(const Call& call) {
  const int operands = call.node.input_size();
  if (operands == 1 && call.input(0) && call.input(0)->isFloat()) return *call.input(0);
  Result result = combineFloats(call, {findPair("Sum")->floats, 0, 0, operands});
  if (!result) return std::nullopt;
  float* const sums = result->floats.write();
  for (std::size_t i = 0; i < result->count(); ++i)
    sums[i] /= static_cast<float>(call.inputs.size());
  return result;
}

Result foldPRelu(const Call& call) {
  Result result = foldPairs(call);
  return result && result->dims == call.input(0)->dims ? result : std::nullopt;
}

// Takes an integer exponent for a float base, too.
Result foldPow(const Call& call) {
  const KnownTensor *base = call.input(0), *exponent = call.input(1);
  if (!base || !exponent || base->type == exponent->type) return foldPairs(call);
  if (!base->isFloat() || exponent->type == TensorProto::BOOL) return std::nullopt;
  KnownTensor floats;
  floats.type = base->type;
  floats.dims = exponent->dims;
  floats.sure = exponent->sure;
  floats.floats = std::vector<float>(exponent->integers.begin(), exponent->integers.end());
  Call other = call;
  other.inputs[1] = &floats;
  return foldPairs(other);
}

// Operators that compute with one element each.

// An attribute of a function, and its default.
struct Parameter {
  const char* name = nullptr;
  float value = 0;
};

struct Function {
  ElementLoop loop;
  Parameter a{}, b{};
};

// Computes e^x to a relative 2e-7, without branches and calls, so that loops over it are
// vectorised. It is 2^n e^r with an integer n and r up to ln(2) / 2, which needs seven terms of the
// series.
inline float exp(float x) {
  constexpr float kSmallest = -86.6F, kLargest = 88.72F, kWhole = 12582912;  // 1.5 * 2^23
  const float inside = x < kSmallest ? kSmallest : x > kLargest ? kLargest : x;
  const float shifted = inside * 1.44269504F + kWhole;  // its last bits are n
  const float n = shifted - kWhole;
  const float r = (inside - n * 0.693145752F) - n * 1.42860677e-6F;
  float sum = 1.0F / 720 + r * (1.0F / 5040);
  for (const float term : {1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) sum = sum * r + term;
  const auto power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 126U) << 23);
  const float made = sum * power * 2;
  return x < kSmallest ? 0 : x > kLargest ? std::numeric_limits<float>::infinity() : made;
}

inline float sigmoid(float x) {
  const float power = exp(-std::fabs(x));
  return (x < 0 ? power : 1) / (1 + power);
}

inline float softplus(float x) { return std::max(x, 0.0F) + log1p(exp(-std::fabs(x))); }

// Keeps NaN, unlike clamp.
inline float between(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

float sign(float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; }

float elu(float x, float a, float b) { return b * (x > 0 ? x : a * std::expm1(x)); }

const std::unordered_map<std::string, Function>& functions() {
  static const std::unordered_map<std::string, Function> all = {
      {"Abs", {alone<[](F x, F, F) { return std::fabs(x); }>}},
      {"Acos", {alone<[](F x, F, F) { return std::acos(x); }>}},
      {"Acosh", {alone<[](F x, F, F) { return std::acosh(x); }>}},
      {"Affine", {alone<[](F x, F a, F b) { return a * x + b; }>, {"alpha", 1}, {"beta", 0}}},
      {"Asin", {alone<[](F x, F, F) { return std::asin(x); }>}},
      {"Asinh", {alone<[](F x, F, F) { return std::asinh(x); }>}},
      {"Atan", {alone<[](F x, F, F) { return std::atan(x); }>}},
      {"Atanh", {alone<[](F x, F, F) { return std::atanh(x); }>}},
      {"Ceil", {alone<[](F x, F, F) { return std::ceil(x); }>}},
      {"Celu",
       {alone<[](F x, F a, F) { return x < 0 ? a * std::expm1(x / a) : x; }>, {"alpha", 1}}},
      {"Cos", {alone<[](F x, F, F) { return std::cos(x); }>}},
      {"Cosh", {alone<[](F x, F, F) { return std::cosh(x); }>}},
      {"Elu", {alone<elu>, {"alpha", 1}, {nullptr, 1}}},
      {"Erf", {alone<[](F x, F, F) { return std::erf(x); }>}},
      // ONNX has none, but TensorFlow's exporter keeps operators that ONNX cannot express.
      {"Erfc", {alone<[](F x, F, F) { return std::erfc(x); }>}},
      {"Exp", {alone<[](F x, F, F) { return exp(x); }>}},
      {"Floor", {alone<[](F x, F, F) { return std::floor(x); }>}},
      {"HardSigmoid",
       {alone<[](F x, F a, F b) { return between(a * x + b, 0, 1); }>,
        {"alpha", 0.2F},
        {"beta", 0.5F}}},
      {"HardSwish", {alone<[](F x, F, F) { return x * between(x / 6 + 0.5F, 0, 1); }>}},
      {"LeakyRelu", {alone<[](F x, F a, F) { return x < 0 ? a * x : x; }>, {"alpha", 0.01F}}},
      {"Log", {alone<[](F x, F, F) { return std::log(x); }>}},
      {"Mish", {alone<[](F x, F, F) { return x * std::tanh(softplus(x)); }>}},
      {"Neg", {alone<[](F x, F, F) { return -x; }>}},
      {"Reciprocal", {alone<[](F x, F, F) { return 1 / x; }>}},
      {"Relu", {alone<[](F x, F, F) { return x < 0 ? 0 : x; }>}},
      {"Round", {alone<[](F x, F, F) { return std::nearbyint(x); }>}},
      {"ScaledTanh",
       {alone<[](F x, F a, F b) { return a * std::tanh(b * x); }>, {"alpha", 1}, {"beta", 1}}},
      {"Selu", {alone<elu>, {"alpha", 1.67326319F}, {"gamma", 1.05070102F}}},
      {"Shrink",
       {alone<[](F x, F a, F b) { return x < -a  ? x + b
                                         : a < x ? x - b
                                                 : 0; }>,
        {"lambd", 0.5F},
        {"bias", 0}}},
      {"Sigmoid", {alone<[](F x, F, F) { return sigmoid(x); }>}},
      {"Sign", {alone<[](F x, F, F) { return sign(x); }>}},
      {"Sin", {alone<[](F x, F, F) { return std::sin(x); }>}},
      {"Sinh", {alone<[](F x, F, F) { return std::sinh(x); }>}},
      {"Softplus", {alone<[](F x, F, F) { return softplus(x); }>}},
      {"Softsign", {alone<[](F x, F, F) { return x / (1 + std::fabs(x)); }>}},
      {"Sqrt", {alone<[](F x, F, F) { return std::sqrt(x); }>}},
      {"Swish", {alone<[](F x, F a, F) { return x * sigmoid(a * x); }>, {"alpha", 1}}},
      {"Tan", {alone<[](F x, F, F) { return std::tan(x); }>}},
      {"Tanh", {alone<[](F x, F, F) { return std::tanh(x); }>}},
      {"ThresholdedRelu", {alone<[](F x, F a, F) { return a < x ? x : 0; }>, {"alpha", 1}}},
  };
  return all;
}

float valueOf(const Node& node, const Parameter& parameter) {
  if (parameter.name == nullptr) return parameter.value;
  return floatAttribute(node, parameter.name).value_or(parameter.value);
}

// Computes Abs and Neg of integers; std::nullopt if one has no negative.
Result negated(const KnownTensor& source, bool onlyNegative) {
  if (source.type == ::onnx::TensorProto::BOOL) return std::nullopt;
  KnownTensor result = source;
  for (std::size_t i = 0; i < result.count(); ++i) {
    std::int64_t& value = result.integers[i];
    if (!result.isSure(i)) {
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
  const KnownTensor* data = call.input(0);
  if (!data || !data->isFloat()) return std::nullopt;
  Result result = unwritten(::onnx::TensorProto::BOOL, data->dims);
  if (!result) return std::nullopt;
  result->sure = data->sure;
  for (std::size_t i = 0; i < data->count(); ++i) result->integers[i] = test(data->floats[i]);
  return result;
}

// Clips integers: the limits are inputs of one element each.
Result clipIntegers(const Call& call, const KnownTensor& data) {
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
  const KnownTensor* data = call.input(0);
  const std::string& type = call.node.op_type();
  if (data && !data->isFloat() && (type == "Abs" || type == "Neg")) {
    return negated(*data, type == "Abs");
  }
  const auto rule = elementRule(call);
  return rule ? combineFloats(call, *rule) : std::nullopt;
}

Result foldClip(const Call& call) {
  const KnownTensor* data = call.input(0);
  if (!data) return std::nullopt;
  return data->isFloat() ? foldFunction(call) : clipIntegers(call, *data);
}

// Returns a number from an input or, in old opsets, an attribute; std::nullopt if it is unknown.
std::optional<float> numberOf(const Call& call, const char* name, std::size_t input,
                              float otherwise) {
  if (!call.has(input)) return floatAttribute(call.node, name).value_or(otherwise);
  const KnownTensor* known = call.input(input);
  const bool isSure = known && known->isFloat() && known->count() == 1 && known->isSure();
  return isSure ? std::optional(known->floats[0]) : std::nullopt;
}

std::optional<ElementRule> clipRule(const Call& call) {
  const auto low = numberOf(call, "min", 1, std::numeric_limits<float>::lowest());
  const auto high = numberOf(call, "max", 2, std::numeric_limits<float>::max());
  if (!low || !high) return std::nullopt;
  return ElementRule{alone<[](F x, F a, F b) { return std::min(x < a ? a : x, b); }>, *low, *high};
}

std::optional<ElementRule> geluRule(const Call& call) {
  const auto kind = stringAttribute(call.node, "approximate").value_or("none");
  if (kind == "none") {
    return ElementRule{alone<[](F x, F a, F) { return 0.5F * x * (1 + std::erf(x * a)); }>,
                       0.70710678F};
  }
  if (kind != "tanh") return std::nullopt;
  return ElementRule{
      alone<[](F x, F a, F b) { return 0.5F * x * (1 + std::tanh(a * (x + b * x * x * x))); }>,
      0.79788456F, 0.044715F};
}

// Most powers are squares and roots.
std::optional<ElementRule> powerRule(const Call& call) {
  const auto exponent = call.has(1) ? numberOf(call, "", 1, 1) : std::nullopt;
  if (exponent && call.input(1)->dims.size() <= 1) {
    if (*exponent == 2) return ElementRule{alone<[](F x, F, F) { return x * x; }>};
    if (*exponent == 0.5F) return ElementRule{functions().at("Sqrt").loop};
  }
  return ElementRule{findPair("Pow")->floats, 0, 0, 2};
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
  Result result = zeros(TensorProto::BOOL, a.dims);
  if (!result) return std::nullopt;
  for (std::size_t i = 0; i < a.count(); ++i) {
    if (!a.isSure(i) || !b.isSure(i)) result->setSure(i, false);
    if (!result->isSure(i)) continue;
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

// Tells whether two integers, one or both the name of a size, are certainly equal or different.
// Sizes are not negative.
std::optional<bool> equalNames(const KnownTensor& a, const KnownTensor& b, std::size_t i) {
  const auto isName = [i](const KnownTensor& known) {
    return !known.isSure(i) && known.integers[i] < -1;
  };
  const auto isNegative = [i](const KnownTensor& known) {
    return known.isSure(i) && known.integers[i] < 0;
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
    if (result->isSure(i)) continue;
    const auto equal = equalNames(both->first, both->second, i);
    result->setSure(i, equal.has_value());
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
  KnownTensor result = *call.input(0);
  for (std::int64_t& value : result.integers) value = value == 0;
  return result;
}

Result foldWhere(const Call& call) {
  const KnownTensor* condition = call.input(0);
  if (!condition || condition->type != TensorProto::BOOL) return std::nullopt;
  const auto both = broadcast(call.input(1), call.input(2));
  if (!both) return std::nullopt;
  const auto dims = broadcastSizes(condition->dims, both->first.dims);
  if (!dims) return std::nullopt;
  const auto from = broadcastPlaces(condition->dims, *dims);
  const auto places = broadcastPlaces(both->first.dims, *dims);
  if (!from || !places) return std::nullopt;
  KnownTensor result = pick(both->first, *dims, *places);
  const KnownTensor& others = both->second;
  const auto choose = [&](auto* to, const auto* other) {
    for (std::size_t i = 0; i < places->size(); ++i) {
      if (condition->integers[(*from)[i]] == 0) to[i] = other[(*places)[i]];
    }
  };
  withElements(choose, result, others);
  if (result.sure.empty() && others.sure.empty() && condition->sure.empty()) return result;
  for (std::size_t i = 0; i < places->size(); ++i) {
    const std::size_t c = (*from)[i];
    if (condition->integers[c] == 0) result.setSure(i, others.isSure((*places)[i]));
    if (!condition->isSure(c)) result.forget(i);
  }
  return result;
}

}  // namespace

void exponentials(float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] = exp(x[i]);
}

std::optional<ElementRule> elementRule(const Call& call) {
  const std::string& type = call.node.op_type();
  if (!call.has(0) || !isOp(call.node, type.c_str())) return std::nullopt;
  if (type == "Clip") return clipRule(call);
  if (type == "Gelu") return geluRule(call);
  if (type == "Pow") return powerRule(call);
  if (const PairRule* pair = findPair(type)) {
    const int operands = pair->isForMany ? call.node.input_size() : 2;
    return ElementRule{operands == 1 ? functions().at("Affine").loop : pair->floats, 1, 0,
                       operands};
  }
  const auto found = functions().find(type);
  if (found == functions().end()) return std::nullopt;
  const Function& function = found->second;
  return ElementRule{function.loop, valueOf(call.node, function.a), valueOf(call.node, function.b)};
}

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
      {"Add", first<shapeBroadcast>, one<foldPairs>},
      {"And", first<shapeBroadcast>, one<foldAnd>, always(TensorProto::BOOL)},
      {"Clip", first<shapeSame>, one<foldClip>},
      {"Div", first<shapeBroadcast>, one<foldPairs>},
      {"Dropout", shapeAllSame},
      {"Equal", first<shapeBroadcast>, one<foldEqual>, always(TensorProto::BOOL)},
      {"Gelu", first<shapeSame>, one<foldFunction>},
      {"Greater", first<shapeBroadcast>, one<foldGreater>, always(TensorProto::BOOL)},
      {"GreaterOrEqual", first<shapeBroadcast>, one<foldGreaterOrEqual>, always(TensorProto::BOOL)},
      {"IsInf", first<shapeSame>, one<foldIsInf>, always(TensorProto::BOOL)},
      {"IsNaN", first<shapeSame>, one<foldIsNaN>, always(TensorProto::BOOL)},
      {"Less", first<shapeBroadcast>, one<foldLess>, always(TensorProto::BOOL)},
      {"LessOrEqual", first<shapeBroadcast>, one<foldLessOrEqual>, always(TensorProto::BOOL)},
      {"Max", first<shapeBroadcast>, one<foldPairs>},
      {"Mean", first<shapeBroadcast>, one<foldMean>},
      {"Min", first<shapeBroadcast>, one<foldPairs>},
      {"Mod", first<shapeBroadcast>, one<foldPairs>},
      {"Mul", first<shapeBroadcast>, one<foldPairs>},
      {"Not", first<shapeSame>, one<foldNot>, always(TensorProto::BOOL)},
      {"Or", first<shapeBroadcast>, one<foldOr>, always(TensorProto::BOOL)},
      {"PRelu", first<shapeSame>, one<foldPRelu>},
      {"Pow", first<shapeBroadcast>, one<foldPow>},
      {"Sub", first<shapeBroadcast>, one<foldPairs>},
      {"Sum", first<shapeBroadcast>, one<foldPairs>},
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
