// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"

namespace mpm::onnx {
namespace {

constexpr std::size_t kOrder[] = {0, 3, 1, 2};  // of planes, by the axes of pixels
constexpr std::int64_t kPlaces[] = {0, 2, 3, 1};

template <class T>
std::optional<std::vector<T>> reordered(std::optional<std::vector<T>> values, bool isForAxes) {
  if (!values || isForAxes || values->empty()) return values;
  if (values->size() != std::size(kOrder)) return std::nullopt;
  std::vector<T> made;
  for (const std::size_t axis : kOrder) made.push_back((*values)[axis]);
  return made;
}

// Axes of pixels as those of planes; nothing where one is wrong.
std::optional<Integers> placesOf(const Integers& axes) {
  Integers places;
  for (const std::int64_t axis : axes) {
    const auto place = axisOf(axis, std::size(kPlaces));
    if (!place) return std::nullopt;
    places.push_back(kPlaces[*place]);
  }
  return places;
}

}  // namespace

// The height of pixels [B, H, W, C] changes, and their channels stay: planes are resized, between
// two transpositions.
bool lowerPixelResize(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() < 3 || !hasInput(node, 0)) return false;
  const Integers *from = spelling.dims(node.input(0)), *made = spelling.dims(node.output(0));
  if (from == nullptr || made == nullptr || from->size() != 4 || made->size() != 4 ||
      (*from)[0] != (*made)[0] || (*from)[1] == (*made)[1] || (*from)[3] != (*made)[3] ||
      (*from)[3] < 1 ||
      stringAttribute(node, "coordinate_transformation_mode") == "tf_crop_and_resize")
    return false;
  const auto axes = intsAttribute(node, "axes");
  const auto places = placesOf(axes.value_or(Integers{}));
  std::optional<std::vector<float>> scales(std::in_place);
  std::optional<Integers> sizes(std::in_place);
  if (hasInput(node, 2)) scales = reordered(spelling.floatsIn(node.input(2)), axes.has_value());
  if (hasInput(node, 3)) sizes = reordered(spelling.integersIn(node.input(3)), axes.has_value());
  if (!places || !scales || !sizes) return false;
  std::vector<std::string> inputs{spellTranspose(spelling, node.input(0), {0, 3, 1, 2}), "", ""};
  if (!scales->empty())
    inputs[2] = spelling.floats({static_cast<std::int64_t>(scales->size())}, *scales);
  if (!sizes->empty()) inputs.push_back(spelling.integers(*sizes));
  const std::string planes = spelling.add("Resize", inputs);
  *spelling.last().mutable_attribute() = node.attribute();
  if (axes) setAttribute(spelling.last(), "axes", *places);
  spellTranspose(spelling, planes, {0, 2, 3, 1}, node.output(0));
  return true;
}

}  // namespace mpm::onnx
