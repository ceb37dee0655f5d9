// SPDX-License-Identifier: Apache-2.0
// Lists of tensors whose length and order the graph says: what is taken out of them, and joined.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {
namespace {

constexpr std::int64_t kMostParts = 1024;

// A whole value, or a part of one along an axis.
struct Element {
  std::string value;
  std::int64_t axis = -1, start = 0, end = 0;  // a part where axis >= 0
  bool loses = false;                          // that axis, of one
};

using Elements = std::vector<Element>;

std::optional<std::int64_t> numberIn(const Spelling& spelling, const std::string& value) {
  const auto numbers = spelling.integersIn(value);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

// How long each part of a SplitToSequence is; nothing where that is not known.
std::optional<Integers> partsOf(const Spelling& spelling, const Node& split, std::int64_t size) {
  if (size < 0) return std::nullopt;
  std::int64_t length = 1;
  if (hasInput(split, 1)) {
    const auto constant = spelling.model().constant(split.input(1));
    const auto given = spelling.integersIn(split.input(1));
    if (!constant || !given) return std::nullopt;
    if (!constant->dims().empty()) return given;
    length = given->front();
  }
  if (length < 1 || size / length >= kMostParts) return std::nullopt;
  Integers parts;
  for (std::int64_t at = 0; at < size; at += length) parts.push_back(std::min(length, size - at));
  return parts;
}

std::optional<Elements> elementsOfSplit(const Spelling& spelling, const Node& split) {
  const Integers* dims = hasInput(split, 0) ? spelling.dims(split.input(0)) : nullptr;
  if (dims == nullptr) return std::nullopt;
  const auto axis = axisOf(intAttribute(split, "axis").value_or(0), dims->size());
  const auto parts = axis ? partsOf(spelling, split, (*dims)[*axis]) : std::nullopt;
  if (!parts) return std::nullopt;
  Elements elements;
  std::int64_t at = 0;
  for (const std::int64_t part : *parts) {
    if (part < 0) return std::nullopt;
    elements.push_back({split.input(0), static_cast<std::int64_t>(*axis), at, at + part,
                        !hasInput(split, 1) && intAttribute(split, "keepdims").value_or(1) == 0});
    at += part;
  }
  return at == (*dims)[*axis] ? std::optional(elements) : std::nullopt;
}

std::optional<Elements> elementsOf(const Spelling& spelling, const std::string& list) {
  const Node* node = spelling.model().producer(list);
  Elements added;  // by SequenceInsert at the end, the last one first
  for (; node != nullptr && isOp(*node, "SequenceInsert");) {
    if (hasInput(*node, 2) || node->input_size() < 2 || added.size() >= kMostParts)
      return std::nullopt;
    added.push_back({node->input(1)});
    node = spelling.model().producer(node->input(0));
  }
  std::optional<Elements> elements;
  if (node != nullptr && isOp(*node, "SplitToSequence")) {
    elements = elementsOfSplit(spelling, *node);
  } else if (node != nullptr && isAny(*node, {"SequenceConstruct", "SequenceEmpty"})) {
    elements.emplace();
    for (const std::string& input : node->input()) elements->push_back({input});
  }
  if (elements) elements->insert(elements->end(), added.rbegin(), added.rend());
  return elements;
}

std::string spellElement(Spelling& spelling, const Element& element, const std::string& output) {
  if (element.axis < 0) return spelling.add("Identity", {element.value}, output);
  const std::string part =
      spelling.add("Slice",
                   {element.value, spelling.integers({element.start}),
                    spelling.integers({element.end}), spelling.integers({element.axis})},
                   element.loses ? "" : output);
  if (!element.loses) return part;
  return spelling.add("Squeeze", {part, spelling.integers({element.axis})}, output);
}

}  // namespace

// Squeeze and Unsqueeze have their axes as an input from opset 13 on.
bool lowerSequenceAt(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2 || spelling.model().opset() < 13) return false;
  const auto elements = elementsOf(spelling, node.input(0));
  const auto at = numberIn(spelling, node.input(1));
  const auto place = elements && at ? axisOf(*at, elements->size()) : std::nullopt;
  if (!place) return false;
  spellElement(spelling, (*elements)[*place], node.output(0));
  return true;
}

bool lowerSequenceConcat(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto axis = intAttribute(node, "axis");
  if (node.input_size() != 1 || !axis || spelling.model().opset() < 13) return false;
  const auto elements = elementsOf(spelling, node.input(0));
  if (!elements || elements->empty()) return false;
  const bool isNew = intAttribute(node, "new_axis").value_or(0) != 0;
  const std::string where = isNew ? spelling.integers({*axis}) : "";
  std::vector<std::string> parts;
  for (const Element& element : *elements) {
    const std::string part = element.axis < 0 ? element.value : spellElement(spelling, element, "");
    parts.push_back(isNew ? spelling.add("Unsqueeze", {part, where}) : part);
  }
  spelling.add("Concat", parts, node.output(0));
  setAttribute(spelling.last(), "axis", *axis);
  return true;
}

}  // namespace mpm::onnx
