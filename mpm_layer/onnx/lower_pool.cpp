// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {

// A window that is larger than the image and is taken all the same, since positions are rounded up:
// the mean of the image, as EfficientNet's pooling by so many features is. What lies outside does
// not count.
bool lowerWholePool(Spelling& spelling) {
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  const auto kernel = intsAttribute(node, "kernel_shape");
  if (dims == nullptr || !kernel || dims->size() != 4 || kernel->size() != 2 ||
      intAttribute(node, "ceil_mode").value_or(0) == 0 ||
      stringAttribute(node, "auto_pad").value_or("NOTSET") != "NOTSET")
    return false;
  const auto listOf = [&](const char* name, std::int64_t otherwise, std::size_t count) {
    const auto given = intsAttribute(node, name);
    return given && given->size() == count ? *given : Integers(count, otherwise);
  };
  const Integers pads = listOf("pads", 0, 2 * kernel->size());
  const Integers strides = listOf("strides", 1, kernel->size());
  const Integers dilations = listOf("dilations", 1, kernel->size());
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad != 0; }))
    return false;
  for (std::size_t axis = 0; axis < kernel->size(); ++axis) {
    const std::int64_t size = (*dims)[axis + 2], window = (*kernel)[axis];
    if (size < 1 || window <= size || window - size >= strides[axis] || dilations[axis] != 1)
      return false;
  }
  spelling.add("GlobalAveragePool", {node.input(0)}, node.output(0));
  return true;
}

}  // namespace mpm::onnx
