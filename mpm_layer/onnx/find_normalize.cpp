// SPDX-License-Identifier: Apache-2.0
#include "onnx/find.h"

#include "onnx/attribute.h"
#include "onnx/operands.h"

namespace mpm::onnx {
namespace {

bool isLastAxis(const Model& model, const std::string& value, std::int64_t axis) {
  if (axis == -1) return true;
  const std::optional<Value> info = model.info(value);
  return info && info->hasShape && axis + 1 == static_cast<std::int64_t>(info->dims.size());
}

// The node that makes `value` as the mean of something over its last axis, which stays as 1. That
// something has the rank of `like`: a file says it of few values.
const Node* lastAxisMean(const Model& model, const std::string& value, const std::string& like) {
  const Node* node = model.producer(value);
  if (node == nullptr || !isOp(*node, "ReduceMean") || node->input_size() < 1) return nullptr;
  if (intAttribute(*node, "keepdims").value_or(1) != 1) return nullptr;
  std::vector<std::int64_t> axes =
      intsAttribute(*node, "axes").value_or(std::vector<std::int64_t>{});
  if (node->input_size() == 2) {  // an input since ONNX 18
    const std::optional<Tensor> constant = model.constant(node->input(1));
    if (!constant || !constant->isInteger()) return nullptr;
    axes = constant->integers();
  }
  return axes.size() == 1 && isLastAxis(model, like, axes[0]) ? node : nullptr;
}

// Adds the node that makes `value` to those found, and returns what it was made from.
const std::string& step(const Model& model, const std::string& value, int input,
                        std::vector<const Node*>& nodes) {
  nodes.push_back(model.producer(value));
  return nodes.back()->input(input);
}

// value = difference^2, as a power or a product.
bool isSquare(const Model& model, const std::string& value, const std::string& difference) {
  if (const Node* power = madeBy(model, value, "Pow", 2)) {
    return power->input(0) == difference && scalarConstant(model, power->input(1)) == 2.0F;
  }
  const Node* product = madeBy(model, value, "Mul", 2);
  return product != nullptr && product->input(0) == difference && product->input(1) == difference;
}

// value = sqrt(mean(difference^2) + eps), difference being of the rank of `input`; gives eps.
std::optional<float> rootOfMeanSquare(const Model& model, const std::string& value,
                                      const std::string& difference, const std::string& input,
                                      std::vector<const Node*>& nodes) {
  if (madeBy(model, value, "Sqrt", 1) == nullptr) return std::nullopt;
  const std::string& sum = step(model, value, 0, nodes);
  const std::optional<Operands> withEps = constantOperand(model, sum, "Add");
  if (!withEps) return std::nullopt;
  nodes.push_back(model.producer(sum));
  const Node* mean = lastAxisMean(model, withEps->value, input);
  if (mean == nullptr || !isSquare(model, mean->input(0), difference)) return std::nullopt;
  nodes.push_back(mean);
  nodes.push_back(model.producer(mean->input(0)));
  return scalarConstant(model, withEps->constant);
}

// value = (x - mean(x)) / sqrt(variance + eps), into found.
bool findQuotient(const Model& model, const std::string& value, FoundNormalize& found) {
  const Node* quotient = madeBy(model, value, "Div", 2);
  if (quotient == nullptr) return false;
  found.nodes.push_back(quotient);
  const std::string& difference = quotient->input(0);
  const Node* less = madeBy(model, difference, "Sub", 2);
  if (less == nullptr) return false;
  const Node* mean = lastAxisMean(model, less->input(1), less->input(0));
  if (mean == nullptr || mean->input(0) != less->input(0)) return false;
  const std::optional<float> eps =
      rootOfMeanSquare(model, quotient->input(1), difference, less->input(0), found.nodes);
  if (!eps) return false;
  found.nodes.push_back(less);
  found.nodes.push_back(mean);
  found.input = less->input(0);
  found.eps = *eps;
  return true;
}

// value = x / sqrt(mean(x^2) + eps), as a quotient or as a product with the root's reciprocal.
bool findRmsQuotient(const Model& model, const std::string& value, FoundNormalize& found) {
  const auto isRoot = [&](const std::string& root, const std::string& input) {
    const std::optional<float> eps = rootOfMeanSquare(model, root, input, input, found.nodes);
    if (!eps) return false;
    found.input = input;
    found.eps = *eps;
    found.isCentred = false;
    return true;
  };
  if (const Node* quotient = madeBy(model, value, "Div", 2)) {
    found.nodes.push_back(quotient);
    return isRoot(quotient->input(1), quotient->input(0));
  }
  const Node* product = madeBy(model, value, "Mul", 2);
  if (product == nullptr) return false;
  for (const int root : {1, 0}) {
    const std::string& inverse = product->input(root);
    const Node* reciprocal = madeBy(model, inverse, "Reciprocal", 1);
    const std::optional<Operands> one = constantOperand(model, inverse, "Div");
    const Node* quotient = model.producer(inverse);
    const bool isQuotient =
        one && quotient->input(0) == one->constant && scalarConstant(model, one->constant) == 1.0F;
    if (reciprocal == nullptr && !isQuotient) continue;
    const std::size_t before = found.nodes.size();
    found.nodes.insert(found.nodes.end(), {product, quotient});
    if (isRoot(quotient->input(isQuotient ? 1 : 0), product->input(1 - root))) return true;
    found.nodes.resize(before);
  }
  return false;
}

// The same of a value that is multiplied with a vector or not, and shifted by one or not.
std::optional<FoundNormalize> findDecomposed(const Model& model, const std::string& output) {
  FoundNormalize found;
  std::string value = output;
  const std::optional<Operands> sum = constantOperand(model, value, "Add");
  if (sum && isLastAxisVector(model, sum->constant)) {
    found.shift = sum->constant;
    found.nodes.push_back(model.producer(value));
    value = sum->value;
  }
  const std::optional<Operands> product = constantOperand(model, value, "Mul");
  if (product && isLastAxisVector(model, product->constant)) {
    found.scale = product->constant;
    found.nodes.push_back(model.producer(value));
    value = product->value;
  }
  const FoundNormalize weights = found;
  if (findQuotient(model, value, found)) return found;
  found = weights;
  if (!findRmsQuotient(model, value, found)) return std::nullopt;
  return found;
}

}  // namespace

std::optional<FoundNormalize> findNormalize(const Model& model, const std::string& output) {
  const Node* node = model.producer(output);
  if (node == nullptr) return std::nullopt;
  const bool isRms = isAny(*node, {"RMSNormalization", "SimplifiedLayerNormalization"});
  if (!isRms && !isOp(*node, "LayerNormalization")) return findDecomposed(model, output);
  if (node->output(0) != output || node->input_size() < 2) return std::nullopt;
  FoundNormalize found;
  found.input = node->input(0);
  found.scale = node->input(1);
  found.shift = !isRms && node->input_size() > 2 ? node->input(2) : "";
  found.isCentred = !isRms;
  found.eps = floatAttribute(*node, "epsilon").value_or(1e-5F);
  found.nodes = {node};
  const bool fits = isLastAxis(model, found.input, intAttribute(*node, "axis").value_or(-1)) &&
                    isLastAxisVector(model, found.scale) &&
                    (found.shift.empty() || isLastAxisVector(model, found.shift));
  return fits ? std::optional<FoundNormalize>(found) : std::nullopt;
}

bool fits(const Model& model, const FoundNormalize& norm, std::int64_t dim) {
  const auto isVector = [&](const std::string& constant) {
    return constant.empty() || model.constant(constant)->count() == dim;
  };
  return isVector(norm.scale) && isVector(norm.shift);
}

}  // namespace mpm::onnx
