// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's fused element-wise nodes, norms, products and convolutions.
#include <initializer_list>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"

namespace mpm::onnx {
namespace {

// Copies the node's attributes but those of the fusion.
void copyAttributes(const Node& from, Node& to, std::initializer_list<const char*> but) {
  for (const auto& attribute : from.attribute()) {
    bool copied = true;
    for (const char* name : but) copied = copied && attribute.name() != name;
    if (copied) *to.add_attribute() = attribute;
  }
}

// Is this an activation that spellActivation can write?
bool isActivation(const std::string& type) {
  for (const char* known : {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip"}) {
    if (type == known) return true;
  }
  return false;
}

void spellActivation(Spelling& spelling, const std::string& type, const std::vector<float>& numbers,
                     const std::string& x, const std::string& output) {
  if (type == "Clip") {
    const std::string low = spelling.scalar(numbers[0]);
    spelling.add("Clip", {x, low, spelling.scalar(numbers[1])}, output);
    return;
  }
  spelling.add(type.c_str(), {x}, output);
  if (type == "LeakyRelu" || type == "HardSigmoid") {
    setAttribute(spelling.last(), "alpha", numbers[0]);
  }
  if (type == "HardSigmoid") setAttribute(spelling.last(), "beta", numbers[1]);
}

std::size_t numbersOf(const std::string& type) {
  if (type == "LeakyRelu") return 1;
  return type == "Clip" || type == "HardSigmoid" ? 2 : 0;
}

// An operand of a product as its attributes turn it: its last two axes, its first one behind those
// of the batch, or both.
std::string turnedOperand(Spelling& spelling, const std::string& value, bool isTurned,
                          bool isBatchBehind) {
  if (!isTurned && !isBatchBehind) return value;
  const Integers* dims = spelling.dims(value);
  const auto rank = static_cast<std::int64_t>(dims->size());
  Integers order;
  for (std::int64_t axis = isBatchBehind ? 1 : 0; axis < rank - (isBatchBehind ? 1 : 2); ++axis) {
    order.push_back(axis);
  }
  const std::int64_t rows = isBatchBehind ? 0 : rank - 2;
  order.push_back(isTurned ? rank - 1 : rows);
  order.push_back(isTurned ? rows : rank - 1);
  return spellTranspose(spelling, value, order);
}

}  // namespace

bool lowerGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 1 || node.output_size() != 1) return false;
  spellErfGelu(spelling, node.input(0), node.output(0));
  return true;
}

bool lowerBiasGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1) || node.input_size() != 2) return false;
  spellErfGelu(spelling, spelling.add("Add", {node.input(0), node.input(1)}), node.output(0));
  return true;
}

bool lowerFastGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || node.input_size() > 2) return false;
  const std::string x =
      hasInput(node, 1) ? spelling.add("Add", {node.input(0), node.input(1)}) : node.input(0);
  spellTanhGelu(spelling, x, node.output(0));
  return true;
}

bool lowerQuickGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  const float alpha = floatAttribute(node, "alpha").value_or(1.702F);
  if (!hasInput(node, 0) || node.input_size() != 1) return false;
  spellQuickGelu(spelling, node.input(0), alpha, node.output(0));
  return true;
}

// Inputs x, skip, gamma, beta?, bias?; outputs y, mean, 1 / deviation, x + skip + bias. The one
// that takes no mean off has no beta.
bool lowerSkipNormalize(Spelling& spelling) {
  const Node& node = spelling.node();
  const bool isRms = node.op_type() == "SkipSimplifiedLayerNormalization";
  const int added = isRms ? 3 : 4;
  const float epsilon = floatAttribute(node, "epsilon").value_or(1e-12F);
  if (!hasInput(node, 0) || !hasInput(node, 1) || !hasInput(node, 2)) return false;
  if (node.input_size() > added + 1 || node.output_size() > 4) return false;
  if (!areUnused(spelling.model(), node, 1, 3)) return false;
  const std::string total = node.output_size() == 4 ? node.output(3) : "";
  const bool hasBias = hasInput(node, added);
  // The bias is that of the branch, which a product makes.
  std::string branch = node.input(1), stream = node.input(0);
  const Node* product = spelling.model().producer(stream);
  if (product != nullptr && isOp(*product, "MatMul")) std::swap(branch, stream);
  if (hasBias) branch = spelling.add("Add", {branch, node.input(added)});
  const std::string sum = spelling.add("Add", {stream, branch}, total);
  std::vector<std::string> inputs = {sum, node.input(2)};
  if (!isRms && hasInput(node, 3)) inputs.push_back(node.input(3));
  spelling.add(isRms ? "SimplifiedLayerNormalization" : "LayerNormalization", inputs,
               node.output(0));
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  setAttribute(spelling.last(), "epsilon", epsilon);
  return true;
}

bool lowerFusedMatMul(Spelling& spelling) {
  const Node& node = spelling.node();
  const float alpha = floatAttribute(node, "alpha").value_or(1);
  if (node.input_size() != 2 || !hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto is = [&](const char* name) { return intAttribute(node, name).value_or(0) != 0; };
  const auto fits = [&](int input, bool isTurned, bool isBatchBehind) {
    const Integers* dims = spelling.dims(node.input(input));
    return !(isTurned || isBatchBehind) ||
           (dims != nullptr && dims->size() >= (isBatchBehind ? 3U : 2U));
  };
  if (!fits(0, is("transA"), is("transBatchA"))) return false;
  if (!fits(1, is("transB"), is("transBatchB"))) return false;
  const auto a = turnedOperand(spelling, node.input(0), is("transA"), is("transBatchA"));
  const auto b = turnedOperand(spelling, node.input(1), is("transB"), is("transBatchB"));
  const std::string product =
      spelling.add("MatMul", {a, b}, alpha == 1 ? node.output(0) : std::string());
  if (alpha != 1) spelling.add("Mul", {product, spelling.scalar(alpha)}, node.output(0));
  return true;
}

// A product with weights that is split by features, as simplifiers join projections: a product
// with each part of the weights.
bool lowerSplitProduct(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* product = hasInput(node, 0) ? spelling.model().producer(node.input(0)) : nullptr;
  if (product == nullptr || !isOp(*product, "MatMul") || product->input_size() != 2) return false;
  const auto weights = spelling.model().constant(product->input(1));
  const Integers* dims = spelling.dims(node.input(0));
  if (!weights || weights->dims().size() != 2 || weights->type() != ::onnx::TensorProto::FLOAT ||
      dims == nullptr || dims->empty() || spelling.model().isOutput(node.input(0)) ||
      spelling.model().consumers(node.input(0)).size() != 1) {
    return false;
  }
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), dims->size());
  if (!axis || *axis + 1 != dims->size()) return false;
  const std::int64_t rows = weights->dims()[0], columns = weights->dims()[1];
  std::optional<Integers> sizes = intsAttribute(node, "split");
  if (hasInput(node, 1)) sizes = spelling.integersIn(node.input(1));
  if (!sizes && columns % node.output_size() == 0) {
    sizes = Integers(static_cast<std::size_t>(node.output_size()), columns / node.output_size());
  }
  std::int64_t total = 0;
  for (const std::int64_t size : sizes.value_or(Integers{})) {
    if (size <= 0 || size > columns) return false;
    total += size;
  }
  if (total != columns || static_cast<int>(sizes->size()) != node.output_size()) return false;
  const Floats all = weights->floats();
  const float* first = all.data();
  for (int part = 0; part < node.output_size(); ++part) {
    const std::int64_t size = (*sizes)[static_cast<std::size_t>(part)];
    std::vector<float> own;
    own.reserve(static_cast<std::size_t>(rows * size));
    for (std::int64_t row = 0; row < rows; ++row) {
      own.insert(own.end(), first + row * columns, first + row * columns + size);
    }
    first += size;
    if (node.output(part).empty()) continue;
    spelling.add("MatMul", {product->input(0), spelling.floats({rows, size}, own)},
                 node.output(part));
  }
  return true;
}

bool lowerFusedGemm(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::string type = stringAttribute(node, "activation").value_or("");
  const std::vector<float> numbers = {
      floatAttribute(node, "activation_alpha").value_or(type == "LeakyRelu" ? 0.01F : 0.2F),
      floatAttribute(node, "activation_beta").value_or(0.5F)};
  if (!isActivation(type) || type == "Clip") return false;
  if (node.input_size() < 2 || node.input_size() > 3) return false;
  const std::string sum = spelling.add("Gemm", {node.input().begin(), node.input().end()});
  copyAttributes(node, spelling.last(),
                 {"activation", "activation_alpha", "activation_beta", "activation_gamma"});
  spellActivation(spelling, type, numbers, sum, node.output(0));
  return true;
}

// Inputs x, weights, bias?, a value that is added before the activation?
bool lowerFusedConv(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::string type = stringAttribute(node, "activation").value_or("");
  const auto numbers = floatsAttribute(node, "activation_params").value_or(std::vector<float>{});
  if (!type.empty() && (!isActivation(type) || numbers.size() < numbersOf(type))) return false;
  if (!hasInput(node, 0) || !hasInput(node, 1) || node.input_size() > 4) return false;
  const bool isSum = hasInput(node, 3);
  std::vector<std::string> inputs = {node.input(0), node.input(1)};
  if (hasInput(node, 2)) inputs.push_back(node.input(2));
  const auto outputIf = [&](bool isEnd) { return isEnd ? node.output(0) : std::string(); };
  std::string value = spelling.add("Conv", inputs, outputIf(!isSum && type.empty()));
  copyAttributes(node, spelling.last(), {"activation", "activation_params"});
  if (isSum) value = spelling.add("Add", {value, node.input(3)}, outputIf(type.empty()));
  if (!type.empty()) spellActivation(spelling, type, numbers, value, node.output(0));
  return true;
}

}  // namespace mpm::onnx
