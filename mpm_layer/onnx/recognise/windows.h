// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "onnx/recognise/embedding.h"

namespace mpm::onnx {

// Whether a transposition deals the rows of a known embedding's grid out to windows, which then
// come one behind the other: [B, down, across, height, width, D], or with the first two axes as
// one.
std::optional<Embedding> dealtOut(const AnalysedModel& analysed, const Node& node,
                                  const std::string& value, const EmbeddingOf& known);

// Rows of a grid [B, height, width, D] that a block deals out to windows, whatever they are.
struct DealtRows {
  std::string from;  // the grid
  std::int64_t batch = 0, dim = 0;
  Windows windows;  // each within the grid
};

// Whether a transposition deals a grid out, as above.
std::optional<DealtRows> dealtRows(const AnalysedModel& analysed, const Node& node);

// Whether a transposition puts rows that are dealt out to these windows back onto their grid:
// [B, down, height, across, width, D], or with other axes for the same.
bool putsBack(const AnalysedModel& analysed, const Node& node, const Windows& windows,
              std::int64_t batch, std::int64_t dim);

// Whether a node gives the constant rows of `before` to each window: [B, rows, D] to
// [B times windows, rows, D].
std::optional<Embedding> repeatedRows(const AnalysedModel& analysed, const Node& node,
                                      const std::string& value, const Embedding& before);

}  // namespace mpm::onnx
