// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "onnx/graph/proto.h"

namespace mpm::onnx {

// A model that cannot be read, rewritten or written. what() is one sentence; from readModel and
// writeModel it starts with the file's name.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns a name from a file for a sentence: in quotes, at most 80 characters, without control
// characters for terminals.
inline std::string inQuotes(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  std::string text = "'";
  for (const char c : name.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  if (name.size() > kLongest) text += "...";
  return text + "'";
}

// Returns "node 'blocks.0/MatMul' (MatMul)"; a node without a name goes by its first output.
inline std::string nameOf(const Node& node) {
  const std::string& type = node.op_type();
  if (!node.name().empty()) return "node " + inQuotes(node.name()) + " (" + inQuotes(type) + ")";
  if (node.output_size() > 0) {
    return "the node of " + inQuotes(node.output(0)) + " (" + inQuotes(type) + ")";
  }
  return "a node without name and output (" + inQuotes(type) + ")";
}

}  // namespace mpm::onnx
