// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/find.h"

#include <optional>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/operands.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

// Without a bias.
std::optional<FoundLinear> findPlainLinear(const Facts& facts, const std::string& value,
                                           std::vector<const Node*>& nodes) {
  std::optional<FoundLinear> linear = findLinear(facts.model, behindRowViews(facts, value, &nodes));
  if (!linear || !linear->bias.empty()) return {};
  nodes.insert(nodes.end(), linear->nodes.begin(), linear->nodes.end());
  linear->input = behindRowViews(facts, linear->input, &nodes);
  return linear;
}

// value = row / |row|, for a linear layer's rows.
std::optional<FoundLinear> findUnitLinear(const Facts& facts, const std::string& value,
                                          std::vector<const Node*>& nodes) {
  const std::optional<FoundUnit> unit = findUnit(facts, value);
  if (!unit) return {};
  nodes.insert(nodes.end(), unit->nodes.begin(), unit->nodes.end());
  return findPlainLinear(facts, unit->input, nodes);
}

}  // namespace

std::optional<FoundMaskHead> findMaskHead(const Facts& facts, const std::string& value) {
  const std::optional<FoundNormalize> norm = findNormalize(facts.model, value);
  if (!norm) return {};
  FoundMaskHead found;
  found.norm = *norm;
  found.nodes = norm->nodes;
  const Node* product = madeBy(facts.model, norm->input, "MatMul", 2);
  if (product == nullptr) return {};
  const Node* turn = madeBy(facts.model, product->input(1), "Transpose", 1);
  if (turn == nullptr || intsAttribute(*turn, "perm") != Integers{0, 2, 1}) return {};
  found.nodes.insert(found.nodes.end(), {product, turn});
  const auto patches = findUnitLinear(facts, product->input(0), found.nodes);
  const auto classes = findUnitLinear(facts, turn->input(0), found.nodes);
  if (!patches || !classes) return {};
  found.patches = patches->input;
  found.classes = classes->input;
  found.projPatch = *patches;
  found.projClasses = *classes;
  return found;
}

}  // namespace mpm::onnx
