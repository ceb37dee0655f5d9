// SPDX-License-Identifier: Apache-2.0
// Axes and sizes, from inputs to attributes.
#include <algorithm>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {
namespace {

// No axis of a frame is longer, and sums of two are numbers still.
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

// A list that is an attribute in old opsets and input 1 in new ones.
struct List {
  bool isGiven = false;
  std::optional<Integers> values;  // nothing where it is not a constant
};

List listOf(Spelling& spelling, const char* attribute) {
  const Node& node = spelling.node();
  if (hasInput(node, 1)) return {true, spelling.integersIn(node.input(1))};
  const auto values = intsAttribute(node, attribute);
  return {values.has_value(), values};
}

// Axes counted from the front, in order; nothing where one is out of range or comes twice.
std::optional<Integers> fromFront(const Integers& axes, std::size_t rank) {
  Integers made;
  for (const std::int64_t axis : axes) {
    const auto place = axisOf(axis, rank);
    if (!place) return std::nullopt;
    made.push_back(static_cast<std::int64_t>(*place));
  }
  std::sort(made.begin(), made.end());
  if (std::adjacent_find(made.begin(), made.end()) != made.end()) return std::nullopt;
  return made;
}

}  // namespace

bool spellReduce(Spelling& spelling) {
  const Node& node = spelling.node();
  const List axes = listOf(spelling, "axes");
  if (node.input_size() < 2 || (axes.isGiven && !axes.values)) return false;
  const bool isEmpty = !axes.isGiven || axes.values->empty();
  if (isEmpty && intAttribute(node, "noop_with_empty_axes").value_or(0) != 0) return false;
  Node& made = spelling.addCopy({node.input(0)});
  dropAttribute(made, "noop_with_empty_axes");
  if (!isEmpty) setAttribute(made, "axes", *axes.values);
  return true;
}

// With a Div behind it, the importer takes ReduceL2 for another kind of normalisation.
bool spellReduceL2(Spelling& spelling) {
  const Node& node = spelling.node();
  const List axes = listOf(spelling, "axes");
  if (!hasInput(node, 0) || (axes.isGiven && !axes.values)) return false;
  const bool isEmpty = !axes.isGiven || axes.values->empty();
  if (isEmpty && intAttribute(node, "noop_with_empty_axes").value_or(0) != 0) return false;
  const std::int64_t keep = intAttribute(node, "keepdims").value_or(1);
  const std::string sum = spelling.add("ReduceSumSquare", {node.input(0)});
  setAttribute(spelling.last(), "keepdims", keep);
  if (!isEmpty) setAttribute(spelling.last(), "axes", *axes.values);
  spelling.add("Sqrt", {sum}, node.output(0));
  return true;
}

bool spellSplit(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || node.input_size() > 2) return false;
  std::optional<Integers> sizes;
  if (hasInput(node, 1)) {
    sizes = spelling.integersIn(node.input(1));
  } else if (const auto parts = intAttribute(node, "num_outputs")) {
    const Integers* dims = spelling.dims(node.input(0));
    if (dims == nullptr || *parts != node.output_size()) return false;
    const auto axis = axisOf(intAttribute(node, "axis").value_or(0), dims->size());
    if (!axis || (*dims)[*axis] < *parts || (*dims)[*axis] > kMostRows) return false;
    const std::int64_t size = ((*dims)[*axis] + *parts - 1) / *parts;
    sizes = Integers(static_cast<std::size_t>(*parts), size);
    sizes->back() = (*dims)[*axis] - size * (*parts - 1);
  }
  if (!sizes || sizes->size() != static_cast<std::size_t>(node.output_size())) return false;
  if (std::any_of(sizes->begin(), sizes->end(), [](auto size) { return size <= 0; })) return false;
  Node& made = spelling.addCopy({node.input(0)});
  dropAttribute(made, "num_outputs");
  setAttribute(made, "split", *sizes);
  return true;
}

bool spellSqueeze(Spelling& spelling) {
  const Node& node = spelling.node();
  const List given = listOf(spelling, "axes");
  if (!hasInput(node, 0) || (given.isGiven && !given.values)) return false;
  const Integers* dims = spelling.dims(node.input(0));
  Integers axes;
  if (given.isGiven) {
    axes = *given.values;
  } else {
    if (dims == nullptr) return false;
    for (std::size_t i = 0; i < dims->size(); ++i) {
      if ((*dims)[i] < 0) return false;
      if ((*dims)[i] == 1) axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (dims != nullptr) {
    const auto counted = fromFront(axes, dims->size());
    if (!counted) return false;
    axes = *counted;
  }
  if (axes.empty()) return false;
  setAttribute(spelling.addCopy({node.input(0)}), "axes", axes);
  return true;
}

// One axis at a time: the importer takes no more.
bool spellUnsqueeze(Spelling& spelling) {
  const Node& node = spelling.node();
  const List given = listOf(spelling, "axes");
  if (!hasInput(node, 0) || !given.values || given.values->empty()) return false;
  if (given.values->size() > 8 || spelling.model().constant(node.input(0))) return false;
  Integers axes = *given.values;
  const Integers* dims = spelling.dims(node.input(0));
  const bool isCounted = std::all_of(axes.begin(), axes.end(), [](auto axis) { return axis >= 0; });
  if (dims == nullptr && !isCounted) return false;
  const auto counted = fromFront(axes, dims != nullptr ? dims->size() + axes.size() : 64);
  if (!counted) return false;
  std::string value = node.input(0);
  for (std::size_t i = 0; i < counted->size(); ++i) {
    const bool isLast = i + 1 == counted->size();
    value = spelling.add("Unsqueeze", {value}, isLast ? node.output(0) : std::string());
    setAttribute(spelling.last(), "axes", Integers{(*counted)[i]});
  }
  return true;
}

// The importer's default axis is 1, and it sums over one axis in every opset; before opset 13 it
// should be that axis and all behind it.
bool spellSoftmax(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto axis = intAttribute(node, "axis");
  if (!hasInput(node, 0)) return false;
  if (spelling.model().opset() >= 13) {
    if (axis) return false;
    setAttribute(spelling.addCopy({node.input(0)}), "axis", std::int64_t{-1});
    return true;
  }
  const Integers* dims = spelling.dims(node.input(0));
  if (dims == nullptr) return false;
  const auto place = axisOf(axis.value_or(1), dims->size());
  if (!place || *place + 1 == dims->size()) return false;
  const auto count =
      smallCount(Integers(dims->begin() + static_cast<std::ptrdiff_t>(*place), dims->end()));
  const auto target = targetOf(*dims);
  if (!count || *count == 0 || !target) return false;
  const auto rows = spelling.integers({-1, static_cast<std::int64_t>(*count)});
  const auto flat = spelling.add("Reshape", {node.input(0), rows});
  const auto made = spelling.add(node.op_type().c_str(), {flat});
  setAttribute(spelling.last(), "axis", std::int64_t{1});
  spelling.add("Reshape", {made, spelling.integers(*target)}, node.output(0));
  return true;
}

bool spellPad(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1) || node.input_size() == 2) return false;
  std::vector<std::string> inputs = {node.input(0), node.input(1)};
  if (hasInput(node, 3)) {
    const auto pads = spelling.integersIn(node.input(1));
    const auto axes = spelling.integersIn(node.input(3));
    const Integers* dims = spelling.dims(node.input(0));
    if (!pads || !axes || dims == nullptr || pads->size() != 2 * axes->size()) return false;
    if (!fromFront(*axes, dims->size())) return false;
    Integers all(2 * dims->size(), 0);
    for (std::size_t i = 0; i < axes->size(); ++i) {
      const std::size_t place = *axisOf((*axes)[i], dims->size());
      all[place] = (*pads)[i];
      all[place + dims->size()] = (*pads)[i + axes->size()];
    }
    inputs[1] = spelling.integers(all);
  } else if (hasInput(node, 2)) {
    return false;
  }
  if (hasInput(node, 2)) inputs.push_back(node.input(2));
  spelling.addCopy(inputs);
  return true;
}

}  // namespace mpm::onnx
