// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "onnx/embedding.h"

namespace mpm::onnx {

// Whether a transposition deals the rows of a known embedding's grid out to windows, which then
// come one behind the other: [B, down, across, height, width, D], or with the first two axes as
// one.
std::optional<Embedding> dealtOut(const Facts& facts, const Node& node, const std::string& value,
                                  const EmbeddingOf& known);

// Whether a node gives the constant rows of `before` to each window: [B, rows, D] to
// [B times windows, rows, D].
std::optional<Embedding> repeatedRows(const Facts& facts, const Node& node,
                                      const std::string& value, const Embedding& before);

}  // namespace mpm::onnx
