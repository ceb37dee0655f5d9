// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/find.h"
#include "onnx/recognise/operands.h"
#include "onnx/recognise/view.h"

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
  if (hasInput(gemm, 2)) {
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

namespace {

// Some features of a linear layer: a slice or a part of its last axis.
std::optional<FoundRowLinear> findFeatures(const Facts& facts, const std::string& output) {
  const Node* node = facts.model.producer(output);
  if (!isAny(*node, {"Slice", "Split", "Gather"})) return std::nullopt;
  const std::optional<View> view = viewThrough(facts, *node, output);
  const Integers* before = view ? facts.values.dims(view->base) : nullptr;
  const Integers* after = facts.values.dims(output);
  if (before == nullptr || after == nullptr || before->size() != after->size()) return std::nullopt;
  const std::optional<FoundLinear> linear =
      findLinear(facts.model, behindRowViews(facts, view->base));
  const View dense = denseView(view->base, *before);
  const std::size_t last = before->size() - 1;
  const std::optional<Run> run = joined(view->axes[last]);
  if (!linear || !run || view->factor != 1 || view->offset >= (*before)[last] ||
      !std::equal(view->axes.begin(), view->axes.end() - 1, dense.axes.begin()))
    return std::nullopt;
  FoundRowLinear found{*linear, {}, {}, nullptr};
  for (std::int64_t i = 0; i < run->size; ++i)
    found.features.push_back(view->offset + i * run->stride);
  if (found.features.back() >= outFeatures(facts.model, *linear)) return std::nullopt;
  return found;
}

const Gelu* lasting(Gelu kind) {
  static constexpr Gelu kKinds[] = {Gelu::erf, Gelu::tanh, Gelu::quick};
  return std::find(std::begin(kKinds), std::end(kKinds), kind);
}

}  // namespace

std::optional<FoundRowLinear> findRowLinear(const Facts& facts, const std::string& output) {
  const Node* node = facts.model.producer(output);
  if (node == nullptr) return std::nullopt;
  if (const std::optional<FoundLinear> linear = findLinear(facts.model, output))
    return FoundRowLinear{*linear, {}, {}, nullptr};
  if (isAny(*node, {"Mul", "Div", "Gelu", "FastGelu", "QuickGelu"})) {
    if (const std::optional<FoundGelu> gelu = findGelu(facts.model, output)) {
      std::optional<FoundRowLinear> found =
          findRowLinear(facts, behindRowViews(facts, gelu->input));
      if (!found || found->gelu != nullptr) return std::nullopt;
      found->gelu = lasting(gelu->kind);
      return found;
    }
  }
  const std::optional<Operands> product = constantOperand(facts.model, output, "Mul");
  if (!product) return findFeatures(facts, output);
  std::optional<FoundRowLinear> found = findRowLinear(facts, behindRowViews(facts, product->value));
  const bool isScaled =
      found && found->gelu == nullptr && found->scale.empty() && found->features.empty() &&
      isLastAxisVector(facts.model, product->constant) &&
      facts.model.constant(product->constant)->count() == outFeatures(facts.model, found->linear);
  if (!isScaled) return std::nullopt;
  found->scale = product->constant;
  return found;
}

}  // namespace mpm::onnx
