// SPDX-License-Identifier: Apache-2.0
// Operators that compute with one element each.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"

namespace mpm::onnx {
namespace {

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

}  // namespace

bool isFunction(const std::string& type) { return functions().count(type) != 0; }

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

}  // namespace mpm::onnx
