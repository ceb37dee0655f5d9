// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnx/operators/values.h"
#include "onnx/recognise/tokens.h"

namespace mpm::onnx {

// The input of an encoder: projected patches of an image, with constants added to them and constant
// rows among them.
struct Embedding {
  // A run of rows: constant ones, or the image's with the position that is added to each.
  struct Segment {
    bool isImage = false;
    std::int64_t count = 0;
    std::vector<float> values;  // [count x dim]; empty for an image without positions
  };

  std::string image;         // what is cut into patches; without a weight, planes of their features
  std::string weight, bias;  // constants of the projection; either may be empty
  std::vector<float> factors;  // [dim], of what the projection gives; or empty
  std::int64_t patch = 0, gridHeight = 0, gridWidth = 0, dim = 0, batch = 0;
  std::vector<Segment> segments;  // at most one is the image's
  bool rowsFirst = false;
  // If the image's rows come window by window, every window has its share of each segment.
  Windows windows;
  std::int64_t repeated = 1;  // without an image: how often the rows are there for each picture

  std::int64_t rows() const;
  bool hasImage() const;
  std::int64_t shares() const { return windows.areThere() ? windows.count() : repeated; }
  const Segment& imageSegment() const;  // of one that has it
};

using EmbeddingOf = std::function<const Embedding*(const std::string&)>;

// Recognises a Pad that adds rows of one number before or after an embedding's, for a class token
// that is added later. Returns std::nullopt for any other node.
std::optional<Embedding> paddedRows(const AnalysedModel& analysed, const Node& node,
                                    const std::string& value, const Embedding& before);

// Recognises an embedding: patches themselves, or a `known` embedding after a change. Changes add a
// constant, multiply all rows by a factor, concatenate constant rows (or zeros, by a Pad), slice
// rows, swap axes, or partition rows into windows.
std::optional<Embedding> findEmbedding(const AnalysedModel& analysed, const std::string& value,
                                       const EmbeddingOf& known);

// Resizes positions [height x width x dim] to another grid: bilinear, with pixel centres at halves,
// as Segmenter does.
std::vector<float> resizePositions(const std::vector<float>& positions, std::int64_t dim,
                                   std::int64_t height, std::int64_t width, std::int64_t newHeight,
                                   std::int64_t newWidth);

// Tells whether planes [B, D, height, width] come from a model's own stem (convolutions,
// activations, other kinds of positions) and their `rows` go to attention, like any patches.
bool areOfAStem(const AnalysedModel& analysed, const std::string& planes, const std::string& rows);

// Returns the number of pictures in the analysed batch.
std::int64_t batchOf(const AnalysedModel& analysed);

}  // namespace mpm::onnx
