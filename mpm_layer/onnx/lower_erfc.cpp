// SPDX-License-Identifier: Apache-2.0
#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {

// 1 - erf(x). ONNX has no such operator, but TensorFlow's GELU has, and its exporter writes what it
// has no other spelling for as it is.
bool lowerErfc(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 1) return false;
  const std::string erf = spelling.add("Erf", {node.input(0)});
  spelling.add("Sub", {spelling.scalar(1), erf}, node.output(0));
  return true;
}

}  // namespace mpm::onnx
