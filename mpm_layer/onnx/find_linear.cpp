// SPDX-License-Identifier: Apache-2.0
#include "onnx/find.h"

#include "onnx/attribute.h"
#include "onnx/operands.h"

namespace mpm::onnx {
namespace {

bool isMatrix(const Model& model, const std::string& constant) {
  const std::optional<Tensor> tensor = model.constant(constant);
  return tensor && tensor->isFloating() && tensor->dims().size() == 2;
}

bool isBias(const Model& model, const std::string& constant, const FoundLinear& linear) {
  return isLastAxisVector(model, constant) &&
         model.constant(constant)->count() == outFeatures(model, linear);
}

// The matrix behind the right factor: a constant, or a constant transposed by a node.
bool findMatrix(const Model& model, const std::string& value, FoundLinear& found) {
  found.weight = value;
  if (const Node* transpose = madeBy(model, value, "Transpose", 1)) {
    const auto order = intsAttribute(*transpose, "perm");
    if (order && *order != std::vector<std::int64_t>{1, 0}) return false;
    found.weight = transpose->input(0);
    found.outByIn = !found.outByIn;
  }
  return isMatrix(model, found.weight);
}

std::optional<FoundLinear> findProduct(const Model& model, const std::string& output) {
  const Node* product = madeBy(model, output, "MatMul", 2);
  FoundLinear found;
  if (product == nullptr || !findMatrix(model, product->input(1), found)) return std::nullopt;
  found.input = product->input(0);
  found.nodes = {product};
  return found;
}

std::optional<FoundLinear> findGemm(const Model& model, const Node& gemm) {
  if (gemm.input_size() < 2) return std::nullopt;
  FoundLinear found;
  found.outByIn = intAttribute(gemm, "transB").value_or(0) != 0;
  const bool plain = intAttribute(gemm, "transA").value_or(0) == 0 &&
                     floatAttribute(gemm, "alpha").value_or(1) == 1 &&
                     floatAttribute(gemm, "beta").value_or(1) == 1;
  if (!plain || !findMatrix(model, gemm.input(1), found)) return std::nullopt;
  found.input = gemm.input(0);
  found.nodes = {&gemm};
  if (gemm.input_size() > 2 && !gemm.input(2).empty()) {
    found.bias = gemm.input(2);
    if (!isBias(model, found.bias, found)) return std::nullopt;
  }
  return found;
}

}  // namespace

std::int64_t inFeatures(const Model& model, const FoundLinear& linear) {
  return model.constant(linear.weight)->dims()[linear.outByIn ? 1 : 0];
}

std::int64_t outFeatures(const Model& model, const FoundLinear& linear) {
  return model.constant(linear.weight)->dims()[linear.outByIn ? 0 : 1];
}

std::optional<FoundLinear> findLinear(const Model& model, const std::string& output) {
  const Node* node = model.producer(output);
  if (node == nullptr) return std::nullopt;
  if (isOp(*node, "Gemm")) return findGemm(model, *node);
  if (const std::optional<Operands> sum = constantOperand(model, output, "Add")) {
    std::optional<FoundLinear> found = findProduct(model, sum->value);
    if (!found || !isBias(model, sum->constant, *found)) return std::nullopt;
    found->bias = sum->constant;
    found->nodes.insert(found->nodes.begin(), node);
    return found;
  }
  return findProduct(model, output);
}

}  // namespace mpm::onnx
