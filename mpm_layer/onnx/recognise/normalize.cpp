// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/parts.h"

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
      !isAny(*x, {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Reciprocal", "ReduceMean"}) ||
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

// The base where value = base^2, as a power or a product; else null.
const std::string* underSquare(const Model& model, const std::string& value) {
  if (const Node* power = madeBy(model, value, "Pow", 2))
    return scalarConstant(model, power->input(1)) == 2.0F ? &power->input(0) : nullptr;
  const Node* product = madeBy(model, value, "Mul", 2);
  const bool isSquare = product != nullptr && areSame(model, product->input(0), product->input(1));
  return isSquare ? &product->input(0) : nullptr;
}

bool isSquare(const Model& model, const std::string& value, const std::string& base) {
  const std::string* found = underSquare(model, value);
  return found != nullptr && areSame(model, *found, base);
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

// A vector or 1, over a root: scale / sqrt(sum).
struct InverseRoot {
  std::string sum, scale;  // scale may be empty
  std::vector<const Node*> nodes;
};

std::optional<InverseRoot> findInverseRoot(const Model& model, const std::string& value) {
  InverseRoot found;
  if (const std::string* sum = underInverseRoot(model, value, found.nodes)) {
    found.sum = *sum;
    return found;
  }
  const std::optional<Operands> product = constantOperand(model, value, "Mul");
  const Node* quotient = madeBy(model, value, "Div", 2);
  found.nodes = {model.producer(value)};
  const std::string* sum = nullptr;
  if (product) {
    found.scale = product->constant;
    sum = underInverseRoot(model, product->value, found.nodes);
  } else if (quotient != nullptr) {
    found.scale = quotient->input(0);
    sum = underRoot(model, quotient->input(1), found.nodes);
  }
  if (sum == nullptr || !isLastAxisVector(model, found.scale)) return std::nullopt;
  found.sum = *sum;
  return found;
}

// value = numerator / sqrt(sum), as a quotient or a product, perhaps times a vector.
struct Quotient {
  std::string numerator;
  InverseRoot factor;
};

std::vector<Quotient> quotientsOf(const Model& model, const std::string& value) {
  std::vector<Quotient> found;
  const Node* quotient = madeBy(model, value, "Div", 2);
  const Node* product = madeBy(model, value, "Mul", 2);
  if (quotient != nullptr) {
    InverseRoot factor{"", "", {quotient}};
    if (const std::string* sum = underRoot(model, quotient->input(1), factor.nodes)) {
      factor.sum = *sum;
      found.push_back({quotient->input(0), std::move(factor)});
    }
  }
  for (int i = 0; product != nullptr && i < 2; ++i) {
    if (auto factor = findInverseRoot(model, product->input(i))) {
      factor->nodes.push_back(product);
      found.push_back({product->input(1 - i), std::move(*factor)});
    }
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

// What a value is where it is not below zero: a variance never is, but for its rounding.
std::string behindFloor(const Model& model, const std::string& value,
                        std::vector<const Node*>& nodes) {
  const Node* relu = madeBy(model, value, "Relu", 1);
  const std::optional<Operands> larger = constantOperand(model, value, "Max");
  if (relu == nullptr && !(larger && scalarConstant(model, larger->constant) == 0.0F)) return value;
  nodes.push_back(model.producer(value));
  return larger ? larger->value : relu->input(0);
}

// Whether value = mean(x^2) - mean(x)^2.
bool isMeanOfSquares(const Model& model, const std::string& value, const std::string& x,
                     std::vector<const Node*>& nodes) {
  const Node* less = madeBy(model, value, "Sub", 2);
  const Node* squares = less != nullptr ? lastAxisMean(model, less->input(0), x) : nullptr;
  if (squares == nullptr || !isSquare(model, squares->input(0), x)) return false;
  const std::string* own = underSquare(model, less->input(1));
  const Node* mean = own != nullptr ? lastAxisMean(model, *own, x) : nullptr;
  if (mean == nullptr || !areSame(model, mean->input(0), x)) return false;
  nodes.insert(nodes.end(), {less, squares, model.producer(less->input(1)), mean});
  return true;
}

// Whether value = mean(x^2), or the variance of x where it is centred.
bool isPower(const Model& model, const std::string& value, const std::string& x, bool isCentred,
             std::vector<const Node*>& nodes) {
  const std::string power = behindFloor(model, value, nodes);
  const Node* mean = lastAxisMean(model, power, x);
  const std::string* base = mean != nullptr ? underSquare(model, mean->input(0)) : nullptr;
  if (base == nullptr) return isCentred && isMeanOfSquares(model, power, x, nodes);
  nodes.insert(nodes.end(), {mean, model.producer(mean->input(0))});
  if (!isCentred) return areSame(model, *base, x);
  std::vector<const Node*> difference;  // perhaps the one that is divided
  const auto centred = behindCentring(model, *base, difference);
  for (const Node* node : difference) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
  return centred && areSame(model, *centred, x);
}

// Takes over what a factor says; false where its sum is not that of found.input, or found has a
// scale already.
bool takeFactor(const Model& model, const InverseRoot& factor, FoundNormalize& found) {
  const std::optional<Operands> sum = constantOperand(model, factor.sum, "Add");
  const std::optional<float> eps =
      sum ? scalarConstant(model, sum->constant) : std::optional<float>();
  if (!eps || (!factor.scale.empty() && !found.scale.empty())) return false;
  found.nodes.insert(found.nodes.end(), factor.nodes.begin(), factor.nodes.end());
  found.nodes.push_back(model.producer(factor.sum));
  if (!isPower(model, sum->value, found.input, found.isCentred, found.nodes)) return false;
  if (!factor.scale.empty()) found.scale = factor.scale;
  found.eps = *eps;
  return true;
}

// value = (x - mean(x)) / sqrt(variance + eps), or x / sqrt(mean(x^2) + eps), into found.
bool findQuotient(const Model& model, const std::string& value, FoundNormalize& found) {
  const FoundNormalize before = found;
  for (const Quotient& quotient : quotientsOf(model, value)) {
    const auto centred = behindCentring(model, quotient.numerator, found.nodes);
    found.isCentred = centred.has_value();
    found.input = centred.value_or(quotient.numerator);
    if (takeFactor(model, quotient.factor, found)) return true;
    found = before;
  }
  return false;
}

// The terms that value is the sum of, and the nodes that add them.
struct Term {
  std::string value;
  bool isNegative = false;
};

void addTerms(const Model& model, const Term& term, std::vector<Term>& terms,
              std::vector<const Node*>& nodes) {
  constexpr std::size_t kMost = 4;  // two sums, and two that are negated
  const Node* node = model.producer(term.value);
  const bool isSum = node != nullptr && isAny(*node, {"Add", "Sub"}) && node->input_size() == 2;
  const bool isNegated = node != nullptr && isOp(*node, "Neg") && node->input_size() == 1;
  if (nodes.size() == kMost || !(isSum || isNegated)) {
    terms.push_back(term);
    return;
  }
  nodes.push_back(node);
  addTerms(model, {node->input(0), term.isNegative != isNegated}, terms, nodes);
  if (isSum) addTerms(model, {node->input(1), term.isNegative != isOp(*node, "Sub")}, terms, nodes);
}

// The mean of x where value = -mean(x) factor; else null.
const Node* takenMean(const Model& model, const Term& term, const std::string& x,
                      const std::string& factor, std::vector<const Node*>& nodes) {
  const Node* product = madeBy(model, term.value, "Mul", 2);
  for (int i = 0; product != nullptr && i < 2; ++i) {
    const Node* negated = madeBy(model, product->input(i), "Neg", 1);
    if ((negated != nullptr) == term.isNegative || !areSame(model, product->input(1 - i), factor))
      continue;
    const std::string& mean = negated != nullptr ? negated->input(0) : product->input(i);
    const Node* found = lastAxisMean(model, mean, x);
    if (found == nullptr || !areSame(model, found->input(0), x)) continue;
    nodes.insert(nodes.end(), {product, found});
    if (negated != nullptr) nodes.push_back(negated);
    return found;
  }
  return nullptr;
}

// value = x factor - mean(x) factor + shift, the factor being scale / sqrt(variance + eps): how
// TensorFlow normalises.
std::optional<FoundNormalize> findDistributed(const Model& model, const std::string& value) {
  FoundNormalize sum;
  std::vector<Term> terms;
  addTerms(model, {value}, terms, sum.nodes);
  const auto shift = std::find_if(terms.begin(), terms.end(), [&](const Term& term) {
    return !term.isNegative && isLastAxisVector(model, term.value);
  });
  if (shift != terms.end()) {
    sum.shift = shift->value;
    terms.erase(shift);
  }
  if (terms.size() != 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* product = madeBy(model, terms[i].value, "Mul", 2);
    for (int k = 0; product != nullptr && !terms[i].isNegative && k < 2; ++k) {
      const auto factor = findInverseRoot(model, product->input(k));
      if (!factor) continue;
      FoundNormalize found = sum;
      found.input = product->input(1 - k);
      found.nodes.push_back(product);
      if (takenMean(model, terms[1 - i], found.input, product->input(k), found.nodes) &&
          takeFactor(model, *factor, found))
        return found;
    }
  }
  return std::nullopt;
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
  if (findQuotient(model, value, found)) return found;
  return findDistributed(model, output);
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

namespace {

// A lower bound that no length of a row that holds something reaches.
bool isGuard(const Facts& facts, const Node& node) {
  constexpr float kTiny = 1e-6F;
  const auto isTiny = [&](std::optional<float> bound) { return bound && *bound <= kTiny; };
  if (isOp(node, "Max"))
    return node.input_size() == 2 && isTiny(scalarConstant(facts.model, node.input(1)));
  if (!isOp(node, "Clip")) return false;
  if (hasInput(node, 2)) return false;
  if (floatAttribute(node, "max").value_or(std::numeric_limits<float>::max()) <
      std::numeric_limits<float>::max())
    return false;
  if (node.input_size() > 1) return isTiny(scalarConstant(facts.model, node.input(1)));
  return isTiny(floatAttribute(node, "min"));
}

// Behind what keeps a length from being zero, and what spreads it over a row.
std::string behindGuards(const Facts& facts, const std::string& value,
                         std::vector<const Node*>& nodes) {
  constexpr int kMost = 4;
  std::string at = value;
  for (int i = 0; i < kMost; ++i) {
    const Node* node = facts.model.producer(at);
    if (node == nullptr || node->input_size() < 1) break;
    if (!isOp(*node, "Expand") && !isGuard(facts, *node)) break;
    nodes.push_back(node);
    at = node->input(0);
  }
  return at;
}

bool isAlongRows(const Facts& facts, const Node& node) {
  if (intAttribute(node, "keepdims").value_or(1) != 1) return false;
  const auto axes = callOf(facts, node).list("axes", 1);
  const Integers* dims = facts.values.dims(node.input(0));
  return axes && axes->size() == 1 && dims != nullptr &&
         axisOf((*axes)[0], dims->size()) == dims->size() - 1;
}

// sqrt(sum(x x)), written out.
const Node* squaresBehind(const Facts& facts, const std::string& value, const std::string& row,
                          std::vector<const Node*>& nodes) {
  const Node* root = madeBy(facts.model, value, "Sqrt", 1);
  const Node* sum = root != nullptr ? facts.model.producer(root->input(0)) : nullptr;
  if (sum == nullptr || !isOp(*sum, "ReduceSum") || !isAlongRows(facts, *sum)) return nullptr;
  const Node* square = facts.model.producer(sum->input(0));
  if (square == nullptr || square->input_size() != 2 || square->input(0) != row) return nullptr;
  const bool isSquare =
      (isOp(*square, "Mul") && square->input(1) == row) ||
      (isOp(*square, "Pow") && scalarConstant(facts.model, square->input(1)) == 2.0F);
  if (!isSquare) return nullptr;
  nodes.insert(nodes.end(), {root, sum, square});
  return root;
}

// The length of each row where both were turned alike: ONNX Runtime moves transpositions behind
// what reduces an axis. Null where it is nothing of the kind.
const Node* lengthBehindTurn(const Facts& facts, const std::string& value, const std::string& row,
                             std::vector<const Node*>& nodes) {
  const Node *turn = madeBy(facts.model, value, "Transpose", 1),
             *rowTurn = madeBy(facts.model, row, "Transpose", 1);
  const Node* norm = turn != nullptr ? facts.model.producer(turn->input(0)) : nullptr;
  if (rowTurn == nullptr || norm == nullptr || !isOp(*norm, "ReduceL2") ||
      norm->input(0) != rowTurn->input(0) || intAttribute(*norm, "keepdims").value_or(1) != 1)
    return nullptr;
  const auto order = intsAttribute(*turn, "perm");
  const auto axes = callOf(facts, *norm).list("axes", 1);
  if (!order || order->empty() || order != intsAttribute(*rowTurn, "perm") || !axes ||
      axes->size() != 1)
    return nullptr;
  const auto axis = axisOf((*axes)[0], order->size());
  if (!axis || static_cast<std::int64_t>(*axis) != order->back()) return nullptr;
  nodes.insert(nodes.end(), {turn, norm});
  return norm;
}

}  // namespace

std::optional<FoundUnit> findUnit(const Facts& facts, const std::string& value) {
  FoundUnit found;
  if (const Node* whole = madeBy(facts.model, value, "LpNormalization", 1)) {
    const Integers* dims = facts.values.dims(value);
    const auto axis = axisOf(intAttribute(*whole, "axis").value_or(-1), dims ? dims->size() : 0);
    if (!axis || *axis + 1 != dims->size() || intAttribute(*whole, "p").value_or(2) != 2) return {};
    return FoundUnit{whole->input(0), {whole}};
  }
  const Node* quotient = madeBy(facts.model, value, "Div", 2);
  if (quotient == nullptr) return {};
  found.input = quotient->input(0);
  found.nodes.push_back(quotient);
  const std::string length = behindGuards(facts, quotient->input(1), found.nodes);
  const Node* norm = facts.model.producer(length);
  if (norm != nullptr && isOp(*norm, "ReduceL2")) {
    if (norm->input(0) != found.input || !isAlongRows(facts, *norm)) return {};
    found.nodes.push_back(norm);
  } else if (squaresBehind(facts, length, found.input, found.nodes) == nullptr &&
             lengthBehindTurn(facts, length, found.input, found.nodes) == nullptr) {
    return {};
  }
  return found;
}

}  // namespace mpm::onnx
