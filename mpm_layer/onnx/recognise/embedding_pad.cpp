// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/shape_call.h"
#include "onnx/recognise/embedding.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

// What a Pad adds; nothing where that is no one number, or not known.
std::optional<float> addedNumber(const Facts& facts, const Node& node) {
  if (stringAttribute(node, "mode").value_or("constant") != "constant" || hasInput(node, 3))
    return std::nullopt;
  if (hasInput(node, 2)) return scalarConstant(facts.model, node.input(2));
  return floatAttribute(node, "value").value_or(0);
}

}  // namespace

std::optional<Embedding> paddedRows(const Facts& facts, const Node& node, const std::string& value,
                                    const Embedding& before) {
  constexpr std::int64_t kMostRows = 64;  // a file need not have what it adds
  if (!isOp(node, "Pad") || before.repeated > 1 || before.windows.areThere()) return {};
  const std::optional<float> number = addedNumber(facts, node);
  const std::optional<Integers> pads = callOf(facts, node).list("pads", 1);
  const Integers *from = facts.values.dims(node.input(0)), *to = facts.values.dims(value);
  if (!number || !pads || pads->size() != 6 || from == nullptr || to == nullptr ||
      from->size() != 3 || to->size() != 3)
    return {};
  const std::size_t axis = before.rowsFirst ? 0 : 1;
  const std::int64_t above = (*pads)[axis], below = (*pads)[3 + axis];
  Integers rest = *pads;
  rest[axis] = rest[3 + axis] = 0;
  const bool isOfRows =
      std::all_of(rest.begin(), rest.end(), [](std::int64_t pad) { return pad == 0; });
  if (!isOfRows || above < 0 || below < 0 || above > kMostRows || below > kMostRows ||
      (*from)[axis] != before.rows() || from->back() != before.dim ||
      (*to)[axis] != before.rows() + above + below)
    return {};
  const auto rows = [&](std::int64_t count) {
    return Embedding::Segment{
        false, count, std::vector<float>(static_cast<std::size_t>(count * before.dim), *number)};
  };
  Embedding after = before;
  if (above > 0) after.segments.insert(after.segments.begin(), rows(above));
  if (below > 0) after.segments.push_back(rows(below));
  return after;
}

}  // namespace mpm::onnx
