// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "onnx/proto.h"

namespace mpm::onnx {

// A model that cannot be read, rewritten or written. what() is one sentence; from readModel and
// writeModel it begins with the file's name.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A name from a file, fit for a sentence: in quotes, at most 80 characters, and no control
// characters that a terminal would obey.
std::string inQuotes(std::string_view name);

// "node 'blocks.0/MatMul' (MatMul)"; a node without a name goes by its first output.
std::string nameOf(const Node& node);

}  // namespace mpm::onnx
