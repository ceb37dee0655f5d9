// SPDX-License-Identifier: Apache-2.0
#include "onnx/error.h"

namespace mpm::onnx {

std::string inQuotes(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  std::string text = "'";
  for (const char c : name.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  if (name.size() > kLongest) text += "...";
  return text + "'";
}

std::string nameOf(const Node& node) {
  const std::string& type = node.op_type();
  if (!node.name().empty()) return "node " + inQuotes(node.name()) + " (" + inQuotes(type) + ")";
  if (node.output_size() > 0) {
    return "the node of " + inQuotes(node.output(0)) + " (" + inQuotes(type) + ")";
  }
  return "a node without name and output (" + inQuotes(type) + ")";
}

}  // namespace mpm::onnx
