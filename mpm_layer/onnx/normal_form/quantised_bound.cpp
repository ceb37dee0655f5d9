// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/quantised.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_spelling.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr int kDeepest = 12;           // nodes, as a GELU or a norm has them
constexpr std::int64_t kLargest = 64;  // elements of a constant that is part of one

// What a value is at least, as far as its makers tell.
double least(const Model& model, const std::string& value, int depth) {
  if (const auto constant = model.constant(value)) {
    if (!constant->isFloating() || constant->count() == 0 || constant->count() > kLargest)
      return kNone;
    const Floats floats = constant->floats();
    return static_cast<double>(*std::min_element(floats.begin(), floats.end()));
  }
  const Node* node = model.producer(value);
  if (node == nullptr || depth > kDeepest) return kNone;
  const auto of = [&](int i) {
    const std::string input = inputOf(*node, i);
    if (!isOp(*node, "DequantizeLinear") || !model.constant(input))
      return least(model, input, depth + 1);
    const auto reals = realsOf(model, input, {inputOf(*node, 1), inputOf(*node, 2), 0});
    return reals && !reals->values.empty()
               ? static_cast<double>(*std::min_element(reals->values.begin(), reals->values.end()))
               : kNone;
  };
  if (isAny(*node, {"Abs", "Exp", "Relu", "Sigmoid", "Softmax", "Softplus", "Sqrt"})) return 0;
  if (isAny(*node, {"Erf", "Tanh"})) return -1;
  if (isAny(*node, {"Expand", "Flatten", "Gather", "Identity", "MaxPool", "QuantizeLinear",
                    "DequantizeLinear", "ReduceMax", "ReduceMean", "Reshape", "Slice", "Squeeze",
                    "Transpose", "Unsqueeze"}))
    return of(0);
  if (isOp(*node, "Add")) return of(0) + of(1);
  const bool isSquare = isOp(*node, "Mul") && inputOf(*node, 0) == inputOf(*node, 1);
  if (isSquare || (isOp(*node, "Pow") && least(model, inputOf(*node, 1), depth) == 2)) return 0;
  if (isAny(*node, {"Mul", "Div"})) return of(0) >= 0 && of(1) >= 0 ? 0 : kNone;
  return kNone;
}

// Whether a convolution made a value, with a bias or a norm behind it perhaps.
bool isConvolved(const Model& model, std::string value) {
  for (int i = 0; i < kDeepest; ++i) {
    const Node* node = model.producer(value);
    if (node == nullptr) return false;
    if (isAny(*node, {"Conv", "ConvTranspose"})) return true;
    if (!isAny(*node, {"Add", "BatchNormalization", "Mul", "QuantizeLinear", "DequantizeLinear"}))
      return false;
    value = inputOf(*node, 0);
  }
  return false;
}

}  // namespace

std::optional<Bound> boundOf(const Model& model, const std::string& value, const std::string& scale,
                             const std::string& zero) {
  const std::optional<Tensor> scales = model.constant(scale), zeros = model.constant(zero);
  const int type = zeros ? zeros->type() : TensorProto::UINT8;
  const bool isWide = type == TensorProto::INT16 || type == TensorProto::UINT16;
  const std::int64_t steps = isWide ? 65535 : 255;
  std::int64_t lowest = 0;
  if (type == TensorProto::INT8) lowest = -128;
  if (type == TensorProto::INT16) lowest = -32768;
  if (zeros) {
    if (!zeros->isInteger()) return std::nullopt;
    const std::vector<std::int64_t> all = zeros->integers();
    if (std::any_of(all.begin(), all.end(), [&](std::int64_t one) { return one != lowest; }))
      return std::nullopt;
  }
  if (model.producer(value) == nullptr || least(model, value, 0) >= 0) return std::nullopt;
  Bound bound;
  bound.isBelowAlone =
      !scales || !scales->isFloating() || scales->count() != 1 || !isConvolved(model, value);
  if (!bound.isBelowAlone) bound.high = static_cast<float>(steps) * scales->floats()[0];
  return bound;
}

}  // namespace mpm::onnx
