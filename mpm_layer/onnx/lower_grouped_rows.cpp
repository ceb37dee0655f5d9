// SPDX-License-Identifier: Apache-2.0
// A norm over groups of features of which each row has one: a LayerNorm, as exporters spell it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"
#include "onnx/operands.h"

namespace mpm::onnx {
namespace {

// The InstanceNormalization of [rows, 1, features] behind a Reshape that makes `value` of it.
const Node* normOfGroups(const Spelling& spelling, const std::string& value) {
  const Model& model = spelling.model();
  const Node* back = model.producer(value);
  if (back == nullptr || !isOp(*back, "Reshape") || !hasInput(*back, 0)) return nullptr;
  const Node* norm = madeBy(model, back->input(0), "InstanceNormalization", 3);
  if (norm == nullptr || scalarConstant(model, norm->input(1)) != 1.0F ||
      scalarConstant(model, norm->input(2)) != 0.0F)
    return nullptr;
  return norm;
}

// Whether each row of `rows` is one group of those that are normalised, and a row again in `made`.
bool areGroups(const Integers* rows, const Integers* groups, const Integers* made) {
  if (rows == nullptr || groups == nullptr || made == nullptr || groups->size() != 3 ||
      rows->empty() || *rows != *made || std::count(rows->begin(), rows->end(), -1) > 1)
    return false;
  return (*groups)[1] == 1 && groups->back() == rows->back() && rows->back() > 0;
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
  const Node* norm = product ? normOfGroups(spelling, product->value) : nullptr;
  const Node* cut = norm != nullptr ? model.producer(norm->input(0)) : nullptr;
  if (cut == nullptr || !isOp(*cut, "Reshape") || !hasInput(*cut, 0)) return false;
  const Integers* rows = spelling.dims(cut->input(0));
  if (!areGroups(rows, spelling.dims(norm->input(0)), spelling.dims(product->value)) ||
      spelling.dims(output) == nullptr || *spelling.dims(output) != *rows)
    return false;
  const auto scale = vectorOf(spelling, product->constant, rows->back());
  const auto shift = scale ? vectorOf(spelling, sum->constant, rows->back()) : std::nullopt;
  if (!shift) return false;
  spelling.add("LayerNormalization", {cut->input(0), *scale, *shift}, output);
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  setAttribute(spelling.last(), "epsilon", floatAttribute(*norm, "epsilon").value_or(1e-5F));
  return true;
}

}  // namespace mpm::onnx
