// SPDX-License-Identifier: Apache-2.0
// How operators get at their parameters.
#include "onnx/fold_ops.h"

#include "onnx/attribute.h"

namespace mpm::onnx {

const Integers* Call::parameters(std::size_t i) const {
  const Known* known = input(i);
  return known && !known->isFloat() && known->isSure() ? &known->integers : nullptr;
}

std::optional<Integers> Call::list(const char* attribute, std::size_t input) const {
  if (auto values = intsAttribute(node, attribute)) return values;
  const Integers* values = parameters(input);
  if (!values) return std::nullopt;
  return *values;
}

bool Call::leavesOut(const char* attribute, std::size_t input) const {
  const int i = static_cast<int>(input);
  const bool isGiven = i < node.input_size() && !node.input(i).empty();
  return !isGiven && !findAttribute(node, attribute);
}

}  // namespace mpm::onnx
