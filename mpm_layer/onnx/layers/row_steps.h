// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/layers/emit.h"
#include "onnx/layers/token_values.h"

namespace mpm::onnx {

// Follows nodes outside blocks that work on rows of tokens. They are norms, linear layers, the end
// of a mask decoder, and nodes that take, join, average or change rows.
class RowSteps {
 public:
  RowSteps(const AnalysedModel& analysed, TokenValues& tokenValues, Emitter& emit)
      : analysed_(analysed), tokenValues_(tokenValues), emit_(emit) {}

  // Plans a node's output; false if it is nothing of the kind.
  bool follow(const Node& node, const std::string& value);

 private:
  bool followMaskHead(const std::string& value);
  // Makes a new blob from a blob's rows.
  using EmitRows = std::function<std::string(const std::string&)>;

  bool followRowWise(const std::string& value);
  bool followDense(const std::string& value, const std::string& input, const EmitRows& emit);
  bool followConcat(const Node& node, const std::string& value);
  bool followJoinedFeatures(const Node& node, const std::string& value);
  bool followMean(const Node& node, const std::string& value);
  bool followRows(const Node& node, const std::string& value);
  bool followAddedRows(const Node& node, const std::string& value);
  std::string reshape(const std::string& blob, const Integers& dims);

  const AnalysedModel& analysed_;
  TokenValues& tokenValues_;
  Emitter& emit_;
};

// Follows nodes around attention within a block's own windows. They pad the grid with zeros below
// and to the right for windows that reach past it, and partition its rows into windows. Later they
// reverse the partition and cut off the padding.
class WindowSteps {
 public:
  WindowSteps(const AnalysedModel& analysed, TokenValues& tokenValues)
      : analysed_(analysed), tokenValues_(tokenValues) {}

  // Tells whether a node is one of these and reads tokens, and notes its value.
  bool follow(const Node& node, const std::string& value);

 private:
  bool followPad(const Node& node, const std::string& value);
  bool followDeal(const Node& node, const std::string& value);
  bool followPutBack(const Node& node, const std::string& value);
  bool followCut(const Node& node, const std::string& value);

  const AnalysedModel& analysed_;
  TokenValues& tokenValues_;
};

// Tells whether `value` is rows partitioned into windows, with zeros in each padded cell.
bool hasZerosAdded(const AnalysedModel& analysed, const std::string& value);

// Tells whether two values have the same rows of the same kind of blobs, in the same order.
bool hasSameRows(const Tokens& a, const Tokens& b);

// Follows nodes that compute each row of tokens from that row alone. They are functions of
// elements, of rows and vectors, and sums and means along a row. They may also read values [B, 1,
// D] of a whole image (a condition, a gate). Live rows give live rows, so these nodes stay as they
// are, on the blob. Norms and linear layers have steps of their own.
class RowFunctions {
 public:
  RowFunctions(const AnalysedModel& analysed, TokenValues& tokenValues, Emitter& emit)
      : analysed_(analysed), tokenValues_(tokenValues), emit_(emit) {}

  // Plans what makes this value; false if it is nothing of the kind.
  bool follow(const Node& node, const std::string& value);

 private:
  struct Operands {
    std::optional<Tokens> rows;  // what they have in common; `dim` is the widest
    std::vector<std::string> blobs;
    std::vector<std::pair<std::string, std::string>> alike;  // with the values of the model
    bool isSpread = false;  // some have one feature for several of others
    bool hasVector = false;
  };

  bool followElementWise(const Node& node, const std::string& value);
  bool followReduction(const Node& node, const std::string& value);
  bool followSpread(const Node& node, const std::string& value);
  bool followFeatures(const Node& node, const std::string& value);
  std::vector<std::string> boundsOfFeatures(const Node& node, const std::string& value);
  bool addConstant(const std::string& input, bool isFlat, Operands& operands) const;
  bool addRows(const std::string& input, const std::string& value, Operands& operands);
  // Tells whether an input is a number or a vector for all rows of an image.
  bool isOfImage(const std::string& input, const std::string& value) const;
  bool addOfImage(const std::string& input, const std::string& value, Operands& operands);
  // Returns false if OpenCV would not know which operand is expanded.
  bool plan(const Node& node, const std::string& value, Operands operands);
  bool isAlike(const std::string& value, const Tokens& rows) const;

  const AnalysedModel& analysed_;
  TokenValues& tokenValues_;
  Emitter& emit_;
};

}  // namespace mpm::onnx
