// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/operators/window.h"

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
  const auto pads = entriesOf(node, "pads", 4, 0), strides = entriesOf(node, "strides", 2, 1);
  if (!pads || !strides ||
      std::any_of(pads->begin(), pads->end(), [](auto pad) { return pad != 0; }))
    return false;
  if (entriesOf(node, "dilations", 2, 1) != Integers{1, 1}) return false;
  for (std::size_t axis = 0; axis < kernel->size(); ++axis) {
    const std::int64_t size = (*dims)[axis + 2], window = (*kernel)[axis];
    if (size < 1 || window <= size || window - size >= (*strides)[axis]) return false;
  }
  spelling.add("GlobalAveragePool", {node.input(0)}, node.output(0));
  return true;
}

// The mean of each row, written as that of a picture of one axis: how TensorFlow's exporter writes
// any mean over the axes from the third on.
bool lowerRowPool(Spelling& spelling) {
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  if (dims == nullptr || dims->size() != 3) return false;
  spelling.add("ReduceMean", {node.input(0)}, node.output(0));
  setAttribute(spelling.last(), "axes", Integers{-1});
  return true;
}

}  // namespace mpm::onnx
