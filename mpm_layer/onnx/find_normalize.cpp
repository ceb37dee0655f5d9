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

bool areEqual(const Model& model, const std::string& a, const std::string& b) {
  const std::optional<float> x = scalarConstant(model, a), y = scalarConstant(model, b);
  return a == b || (x && x == y);
}

// Whether two values are one, perhaps computed twice: exporters write what they are told.
bool areSame(const Model& model, const std::string& a, const std::string& b, int depth = 0) {
  constexpr int kDeepest = 4;
  if (areEqual(model, a, b)) return true;
  const Node *x = model.producer(a), *y = model.producer(b);
  if (depth == kDeepest || x == nullptr || y == nullptr || x->op_type() != y->op_type() ||
      !isAny(*x, {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "ReduceMean"}) ||
      x->domain() != y->domain() || x->output(0) != a || y->output(0) != b ||
      x->input_size() != y->input_size() || x->attribute_size() != y->attribute_size())
    return false;
  if (lastAxisMean(model, a, x->input(0)) && lastAxisMean(model, b, y->input(0)))
    return areSame(model, x->input(0), y->input(0), depth + 1);  // their axis may be 2 and -1
  for (int i = 0; i < x->attribute_size(); ++i) {
    if (x->attribute(i).SerializeAsString() != y->attribute(i).SerializeAsString()) return false;
  }
  for (int i = 0; i < x->input_size(); ++i) {
    if (!areSame(model, x->input(i), y->input(i), depth + 1)) return false;
  }
  return true;
}

// value = difference^2, as a power or a product.
bool isSquare(const Model& model, const std::string& value, const std::string& difference) {
  if (const Node* power = madeBy(model, value, "Pow", 2))
    return areSame(model, power->input(0), difference) &&
           scalarConstant(model, power->input(1)) == 2.0F;
  const Node* product = madeBy(model, value, "Mul", 2);
  return product != nullptr && areSame(model, product->input(0), difference) &&
         areSame(model, product->input(1), difference);
}

// value = base^exponent; gives the base.
const std::string* powerOf(const Model& model, const std::string& value, float exponent) {
  const Node* power = madeBy(model, value, "Pow", 2);
  return power != nullptr && scalarConstant(model, power->input(1)) == exponent ? &power->input(0)
                                                                                : nullptr;
}

// value = sqrt(sum); adds nodes and gives the sum, or null.
const std::string* underRoot(const Model& model, const std::string& value,
                             std::vector<const Node*>& nodes) {
  const Node* root = madeBy(model, value, "Sqrt", 1);
  const std::string* sum = root != nullptr ? &root->input(0) : powerOf(model, value, 0.5F);
  if (sum != nullptr) nodes.push_back(model.producer(value));
  return sum;
}

// value = 1 / sqrt(sum), likewise.
const std::string* underInverseRoot(const Model& model, const std::string& value,
                                    std::vector<const Node*>& nodes) {
  const Node* node = model.producer(value);
  if (node == nullptr) return nullptr;
  const std::size_t before = nodes.size();
  nodes.push_back(node);
  if (const std::string* sum = powerOf(model, value, -0.5F)) return sum;
  const Node* reciprocal = madeBy(model, value, "Reciprocal", 1);
  const Node* quotient = madeBy(model, value, "Div", 2);
  const bool isOneOver = quotient != nullptr && scalarConstant(model, quotient->input(0)) == 1.0F;
  const std::string* sum = nullptr;
  if (reciprocal != nullptr) sum = underRoot(model, reciprocal->input(0), nodes);
  if (isOneOver) sum = underRoot(model, quotient->input(1), nodes);
  if (sum == nullptr) nodes.resize(before);
  return sum;
}

// value = numerator / sqrt(sum), as a quotient or a product.
struct Quotient {
  std::string numerator, sum;
  std::vector<const Node*> nodes;
};

std::vector<Quotient> quotientsOf(const Model& model, const std::string& value) {
  std::vector<Quotient> found;
  const Node* quotient = madeBy(model, value, "Div", 2);
  const Node* product = madeBy(model, value, "Mul", 2);
  if (quotient != nullptr) {
    std::vector<const Node*> nodes{quotient};
    if (const std::string* sum = underRoot(model, quotient->input(1), nodes))
      found.push_back({quotient->input(0), *sum, nodes});
  }
  for (int i = 0; product != nullptr && i < 2; ++i) {
    std::vector<const Node*> nodes{product};
    if (const std::string* sum = underInverseRoot(model, product->input(i), nodes))
      found.push_back({product->input(1 - i), *sum, nodes});
  }
  return found;
}

// x where value = x - mean(x); else nothing.
std::optional<std::string> behindCentring(const Model& model, const std::string& value,
                                          std::vector<const Node*>& nodes) {
  const Node* less = madeBy(model, value, "Sub", 2);
  const Node* mean =
      less != nullptr ? lastAxisMean(model, less->input(1), less->input(0)) : nullptr;
  if (mean == nullptr || !areSame(model, mean->input(0), less->input(0))) return std::nullopt;
  nodes.insert(nodes.end(), {less, mean});
  return less->input(0);
}

// Whether value = mean(x^2) - mean(x)^2.
bool isMeanOfSquares(const Model& model, const std::string& value, const std::string& x,
                     std::vector<const Node*>& nodes) {
  const Node* less = madeBy(model, value, "Sub", 2);
  const Node* squares = less != nullptr ? lastAxisMean(model, less->input(0), x) : nullptr;
  if (squares == nullptr || !isSquare(model, squares->input(0), x)) return false;
  const Node* square = model.producer(less->input(1));
  if (square == nullptr || square->input_size() < 1) return false;
  const Node* mean = lastAxisMean(model, square->input(0), x);
  if (mean == nullptr || !areSame(model, mean->input(0), x) ||
      !isSquare(model, less->input(1), square->input(0)))
    return false;
  nodes.insert(nodes.end(), {less, squares, square, mean});
  return true;
}

// value = (x - mean(x)) / sqrt(variance + eps), or x / sqrt(mean(x^2) + eps), into found.
bool findQuotient(const Model& model, const std::string& value, FoundNormalize& found) {
  const std::size_t before = found.nodes.size();
  for (const Quotient& quotient : quotientsOf(model, value)) {
    found.nodes.resize(before);
    found.nodes.insert(found.nodes.end(), quotient.nodes.begin(), quotient.nodes.end());
    const std::optional<Operands> sum = constantOperand(model, quotient.sum, "Add");
    const std::optional<float> eps =
        sum ? scalarConstant(model, sum->constant) : std::optional<float>();
    if (!eps) continue;
    found.nodes.push_back(model.producer(quotient.sum));
    const auto centred = behindCentring(model, quotient.numerator, found.nodes);
    const Node* mean = lastAxisMean(model, sum->value, centred.value_or(quotient.numerator));
    const bool isMean = mean != nullptr && isSquare(model, mean->input(0), quotient.numerator);
    if (isMean) found.nodes.insert(found.nodes.end(), {mean, model.producer(mean->input(0))});
    if (!isMean && !(centred && isMeanOfSquares(model, sum->value, *centred, found.nodes)))
      continue;
    found.isCentred = centred.has_value();
    found.input = centred.value_or(quotient.numerator);
    found.eps = *eps;
    return true;
  }
  found.nodes.resize(before);
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
  return findQuotient(model, value, found) ? std::optional(found) : std::nullopt;
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
