// SPDX-License-Identifier: Apache-2.0
// Products with weights of whole numbers, whose other operand becomes whole numbers as the model
// runs, or is none.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/normal_form/quantised.h"

namespace mpm::onnx {
namespace {

// A constant of what weights stand for; empty where they are none.
std::string weightOf(Spelling& spelling, const std::optional<Reals>& reals) {
  return reals ? spelling.floats(reals->dims, reals->values) : std::string();
}
std::string weightOf(Spelling& spelling, int weight, int scale, int zero) {
  const Node& node = spelling.node();
  return weightOf(spelling, realsOf(spelling.model(), inputOf(node, weight),
                                    {inputOf(node, scale), inputOf(node, zero), -1}));
}

// What an operand of whole numbers was made of as the model runs.
struct Dynamic {
  std::string value, scale, zero;
};
std::optional<Dynamic> dynamicOf(const Model& model, const std::string& numbers) {
  const Node* maker = model.producer(numbers);
  if (maker == nullptr || !isOp(*maker, "DynamicQuantizeLinear")) return std::nullopt;
  if (maker->output_size() != 3 || maker->output(0) != numbers) return std::nullopt;
  return Dynamic{maker->input(0), maker->output(1), maker->output(2)};
}

const Node* castTo(const Model& model, const std::string& value, std::int64_t type) {
  const Node* node = model.producer(value);
  const bool is = node != nullptr && isOp(*node, "Cast") && intAttribute(*node, "to") == type;
  return is ? node : nullptr;
}

// A product of whole numbers behind a Cast and a Mul with the scales of both operands.
struct Scaled {
  const Node* product;
  std::string value;  // the first operand before it became whole numbers
  Quantisation weight;
};
std::optional<Scaled> scaledProduct(const Model& model, const Node& mul) {
  if (!isOp(mul, "Mul") || mul.input_size() != 2) return std::nullopt;
  const int i = castTo(model, mul.input(0), ::onnx::TensorProto::FLOAT) != nullptr ? 0 : 1;
  const Node* cast = castTo(model, mul.input(i), ::onnx::TensorProto::FLOAT);
  const Node* product = cast == nullptr ? nullptr : model.producer(cast->input(0));
  if (product == nullptr) return std::nullopt;
  const bool isConv = isOp(*product, "ConvInteger");
  if (!isConv && !isOp(*product, "MatMulInteger")) return std::nullopt;
  const std::optional<Dynamic> made = dynamicOf(model, inputOf(*product, 0));
  if (!made || inputOf(*product, 2) != made->zero) return std::nullopt;
  const Node* scales = model.producer(mul.input(1 - i));
  if (scales == nullptr || !isOp(*scales, "Mul") || scales->input_size() != 2) return std::nullopt;
  const int own = scales->input(0) == made->scale ? 0 : 1;
  if (scales->input(own) != made->scale) return std::nullopt;
  return Scaled{
      product, made->value, {scales->input(1 - own), inputOf(*product, 3), isConv ? 0 : -1}};
}

// Writes the product with what its weights stand for, and a bias where it is given.
bool spellProduct(Spelling& spelling, const Scaled& scaled, const std::string& bias) {
  const auto reals = realsOf(spelling.model(), inputOf(*scaled.product, 1), scaled.weight);
  if (!reals) return false;
  std::vector<std::string> inputs = {scaled.value, weightOf(spelling, reals)};
  if (!bias.empty()) inputs.push_back(bias);
  const bool isConv = isOp(*scaled.product, "ConvInteger");
  spelling.add(isConv ? "Conv" : "MatMul", inputs, spelling.node().output(0));
  *spelling.last().mutable_attribute() = scaled.product->attribute();
  return true;
}

bool lowerScaledProduct(Spelling& spelling) {
  const auto scaled = scaledProduct(spelling.model(), spelling.node());
  return scaled && spellProduct(spelling, *scaled, "");
}

// The bias of a convolution, which stands behind it as [1, C, 1, 1].
bool lowerConvBias(Spelling& spelling) {
  const Model& model = spelling.model();
  const Node& node = spelling.node();
  for (int i = 0; i < 2 && node.input_size() == 2; ++i) {
    const Node* mul = model.producer(node.input(i));
    const auto scaled = mul == nullptr ? std::nullopt : scaledProduct(model, *mul);
    if (!scaled || !isOp(*scaled->product, "ConvInteger")) continue;
    const Node* reshape = model.producer(node.input(1 - i));
    if (reshape == nullptr || !isOp(*reshape, "Reshape")) continue;
    const auto bias = model.constant(reshape->input(0)),
               weight = model.constant(inputOf(*scaled->product, 1));
    const auto shape = spelling.integersIn(inputOf(*reshape, 1));
    if (!bias || !weight || weight->dims().empty() || bias->dims() != Integers{weight->dims()[0]})
      continue;
    if (shape == Integers{1, -1, 1, 1} || shape == Integers{1, weight->dims()[0], 1, 1})
      return spellProduct(spelling, *scaled, reshape->input(0));
  }
  return false;
}

bool spellMatMul(Spelling& spelling, const std::string& value, const std::string& weight,
                 const std::string& bias) {
  if (value.empty() || weight.empty()) return false;
  const std::string output = spelling.node().output(0);
  const std::string product = spelling.add("MatMul", {value, weight}, bias.empty() ? output : "");
  if (!bias.empty()) spelling.add("Add", {product, bias}, output);
  return true;
}

// Inputs A, B, scale of B, zero of B?, bias?.
bool lowerDynamicMatMul(Spelling& spelling) {
  const Node& node = spelling.node();
  return spellMatMul(spelling, inputOf(node, 0), weightOf(spelling, 1, 2, 3), inputOf(node, 4));
}

// Inputs A and B, their scales, their zeros, bias?.
bool lowerMatMulToFloat(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto made = dynamicOf(spelling.model(), inputOf(node, 0));
  if (!made || inputOf(node, 2) != made->scale || inputOf(node, 4) != made->zero) return false;
  return spellMatMul(spelling, made->value, weightOf(spelling, 1, 3, 5), inputOf(node, 6));
}

const Rules& dynamicRules() {
  static const Rules rules = {
      {"Add", lowerConvBias},
      {"Mul", lowerScaledProduct},
      {"com.microsoft:DynamicQuantizeMatMul", lowerDynamicMatMul},
      {"com.microsoft:MatMulIntegerToFloat", lowerMatMulToFloat},
  };
  return rules;
}

}  // namespace

int lowerDynamic(Model& model) {
  std::size_t weights = 0;
  for (const auto& constant : model.proto().graph().initializer())
    weights += static_cast<std::size_t>(Tensor(constant).count());
  // Two numbers of 4 bits are in one element; more there are only where many nodes read one
  // constant.
  const std::size_t passes = 1 + 2 * weights / Spelling::kMostWeights;
  const DimsOf unknown = [](const std::string&) { return nullptr; };
  int total = 0;
  for (std::size_t i = 0; i < passes; ++i) {
    const int count = spellOut(model, dynamicRules(), unknown);
    if (count == 0) break;
    total += count + model.removeDead();
  }
  return total;
}

}  // namespace mpm::onnx
