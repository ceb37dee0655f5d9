// SPDX-License-Identifier: Apache-2.0
// A norm over groups of features of which each row has one: a LayerNorm, as exporters spell it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

// What makes `value` rows again, behind an InstanceNormalization of [rows, 1, features] that has
// neither scale nor shift, and what makes those groups.
struct GroupNorm {
  const Node *cut = nullptr, *norm = nullptr, *back = nullptr;
};

std::optional<GroupNorm> groupNormOf(const Spelling& spelling, const std::string& value) {
  const Model& model = spelling.model();
  GroupNorm found;
  found.back = madeBy(model, value, "Reshape", 2);
  if (found.back == nullptr) return std::nullopt;
  found.norm = madeBy(model, found.back->input(0), "InstanceNormalization", 3);
  if (found.norm == nullptr || scalarConstant(model, found.norm->input(1)) != 1.0F ||
      scalarConstant(model, found.norm->input(2)) != 0.0F)
    return std::nullopt;
  found.cut = madeBy(model, found.norm->input(0), "Reshape", 2);
  const Integers *groups = spelling.dims(found.norm->input(0)), *made = spelling.dims(value);
  const bool isOfRows = groups != nullptr && made != nullptr && groups->size() == 3 &&
                        (*groups)[1] == 1 && !made->empty() && groups->back() == made->back() &&
                        made->back() > 0;
  return found.cut != nullptr && isOfRows ? std::optional(found) : std::nullopt;
}

// Whether what is cut into groups has the dims of the rows that are made of them.
bool keepsDims(const Spelling& spelling, const GroupNorm& norm) {
  const Integers *rows = spelling.dims(norm.cut->input(0)),
                 *made = spelling.dims(norm.back->output(0));
  return rows != nullptr && *rows == *made && std::count(rows->begin(), rows->end(), -1) < 2;
}

// Whether the dims of the rows are told without those of the groups.
bool tellsDims(const Spelling& spelling, const GroupNorm& norm) {
  const auto target = spelling.integersIn(norm.back->input(1));
  return target && std::count(target->begin(), target->end(), 0) == 0;
}

// One number for each of so many features, as a constant of them; nothing where it is no such.
std::optional<std::string> vectorOf(Spelling& spelling, const std::string& constant,
                                    std::int64_t features) {
  const auto numbers = spelling.floatsIn(constant);
  if (!numbers || !isLastAxisVector(spelling.model(), constant) ||
      static_cast<std::int64_t>(numbers->size()) != features)
    return std::nullopt;
  return spelling.floats({features}, *numbers);
}

}  // namespace

// (one norm of each group) scale + shift, where Reshapes make rows groups and groups rows.
bool lowerGroupedRows(Spelling& spelling) {
  const Model& model = spelling.model();
  const std::string& output = spelling.node().output(0);
  const std::optional<Operands> sum = constantOperand(model, output, "Add");
  const auto product = sum ? constantOperand(model, sum->value, "Mul") : std::nullopt;
  const auto norm = product ? groupNormOf(spelling, product->value) : std::nullopt;
  if (!norm) return false;
  const Integers *rows = spelling.dims(product->value), *made = spelling.dims(output);
  const bool keeps = keepsDims(spelling, *norm);
  if (made == nullptr || *made != *rows || (!keeps && !tellsDims(spelling, *norm))) return false;
  const auto scale = vectorOf(spelling, product->constant, rows->back());
  const auto shift = scale ? vectorOf(spelling, sum->constant, rows->back()) : std::nullopt;
  if (!shift) return false;
  std::string input = norm->cut->input(0);
  if (!keeps) input = spelling.add("Reshape", {input, norm->back->input(1)});
  spelling.add("LayerNormalization", {input, *scale, *shift}, output);
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  setAttribute(spelling.last(), "epsilon", floatAttribute(*norm->norm, "epsilon").value_or(1e-5F));
  return true;
}

// The same as one node, which is for rows [rows, features].
bool lowerGroupNorm(Spelling& spelling) {
  constexpr std::int64_t kOfFeatures = 21;  // the opset from which each has a scale of its own
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  if (spelling.model().opset() < kOfFeatures || dims == nullptr || dims->size() != 2 ||
      dims->back() < 1 || intAttribute(node, "num_groups") != 1 || !hasInput(node, 1) ||
      !hasInput(node, 2))
    return false;
  const auto scale = vectorOf(spelling, node.input(1), dims->back());
  const auto shift = scale ? vectorOf(spelling, node.input(2), dims->back()) : std::nullopt;
  if (!shift) return false;
  spelling.add("LayerNormalization", {node.input(0), *scale, *shift}, node.output(0));
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  setAttribute(spelling.last(), "epsilon", floatAttribute(node, "epsilon").value_or(1e-5F));
  return true;
}

}  // namespace mpm::onnx
