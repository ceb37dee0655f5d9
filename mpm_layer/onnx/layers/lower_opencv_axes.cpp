// SPDX-License-Identifier: Apache-2.0
// Axes and sizes, from inputs to attributes.
#include <algorithm>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/layers/lower_opencv.h"

namespace mpm::onnx {
namespace {

// No axis of a frame is longer, and sums of two are numbers still.
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

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

// Sizes are an attribute there, of an axis that is counted from the front.
bool spellSplit(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || node.input_size() > 2) return false;
  const Integers* all = spelling.dims(node.input(0));
  const auto place =
      axisOf(intAttribute(node, "axis").value_or(0), all != nullptr ? all->size() : 0);
  std::optional<Integers> sizes;
  if (hasInput(node, 1)) {
    sizes = spelling.integersIn(node.input(1));
  } else if (const auto parts = intAttribute(node, "num_outputs")) {
    if (!place || *parts != node.output_size()) return false;
    const std::int64_t rows = (*all)[*place];
    if (rows < *parts || rows > kMostRows) return false;
    const std::int64_t size = (rows + *parts - 1) / *parts;
    sizes = Integers(static_cast<std::size_t>(*parts), size);
    sizes->back() = rows - size * (*parts - 1);
  }
  if (!sizes || sizes->size() != static_cast<std::size_t>(node.output_size())) return false;
  if (std::any_of(sizes->begin(), sizes->end(), [](auto size) { return size <= 0; })) return false;
  Node& made = spelling.addCopy({node.input(0)});
  dropAttribute(made, "num_outputs");
  setAttribute(made, "split", *sizes);
  if (place) setAttribute(made, "axis", static_cast<std::int64_t>(*place));
  return true;
}

// The importer makes a layer of each constant that it joins, under the constant's name: of one that
// several nodes join, as two encoders do one class token, each joins its own. It refuses what has
// no elements, as decoders join where an encoder has nothing to give, and torch.roll by nothing
// does; nothing is joined there.
bool spellConcat(Spelling& spelling) {
  const Node& node = spelling.node();
  std::vector<std::string> inputs = {node.input().begin(), node.input().end()};
  const std::size_t all = inputs.size();
  std::erase_if(inputs, [&](const std::string& input) {
    const Integers* dims = spelling.dims(input);
    return dims != nullptr && std::count(dims->begin(), dims->end(), 0) > 0;
  });
  if (inputs.empty()) return false;
  bool changes = inputs.size() < all;
  if (changes && inputs.size() == 1) {
    spelling.add("Identity", inputs, node.output(0));
    return true;
  }
  for (std::string& input : inputs) {
    const auto& readers = spelling.model().consumers(input);
    const auto joins = [](const Node* reader) { return isOp(*reader, "Concat"); };
    const bool isShared = std::count_if(readers.begin(), readers.end(), joins) > 1 ||
                          std::count(node.input().begin(), node.input().end(), input) > 1;
    const auto constant = spelling.model().constant(input);
    const auto values = isShared && constant ? spelling.floatsIn(input) : std::nullopt;
    if (!values) continue;
    input = spelling.floats(constant->dims(), *values);
    changes = true;
  }
  if (changes) spelling.addCopy(inputs);
  return changes;
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

// Zeros behind the batch as the sizes that they stand for: 5.0 refuses them behind a convolution,
// whose planes are in blocks.
bool spellReshape(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2 || intAttribute(node, "allowzero").value_or(0) != 0) return false;
  const Integers* dims = spelling.dims(node.input(0));
  auto target = spelling.integersIn(node.input(1));
  if (dims == nullptr || !target) return false;
  bool isNew = false;
  for (std::size_t i = 1; i < std::min(target->size(), dims->size()); ++i) {
    if ((*target)[i] != 0 || (*dims)[i] <= 0) continue;
    (*target)[i] = (*dims)[i];
    isNew = true;
  }
  if (isNew) spelling.addCopy({node.input(0), spelling.integers(*target)});
  return isNew;
}

}  // namespace mpm::onnx
