// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "onnx/recognise/embedding.h"

namespace mpm::onnx {

// Recognises a transposition that partitions the grid of a known embedding into windows, one after
// the other: [B, down, across, height, width, D], or with the first axes joined.
std::optional<Embedding> dealtOut(const AnalysedModel& analysed, const Node& node,
                                  const std::string& value, const EmbeddingOf& known);

// Rows of any grid [B, height, width, D] that a block partitions into windows.
struct DealtRows {
  std::string from;  // the grid
  std::int64_t batch = 0, dim = 0;
  Windows windows;  // each within the grid
};

// Recognises a transposition that partitions any grid, as above.
std::optional<DealtRows> dealtRows(const AnalysedModel& analysed, const Node& node);

// Tells whether a transposition puts partitioned rows back onto their grid: [B, down, height,
// across, width, D], or with other axes for the same.
bool putsBack(const AnalysedModel& analysed, const Node& node, const Windows& windows,
              std::int64_t batch, std::int64_t dim);

// Recognises a node that gives each window the constant rows of `before`: [B, rows, D] to [B times
// windows, rows, D].
std::optional<Embedding> repeatedRows(const AnalysedModel& analysed, const Node& node,
                                      const std::string& value, const Embedding& before);

}  // namespace mpm::onnx
