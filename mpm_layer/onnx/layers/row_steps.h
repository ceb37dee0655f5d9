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

// What is no block and yet works on rows of tokens: norms and linear layers, the end of a mask
// decoder, and nodes that take, join, average or change rows.
class RowSteps {
 public:
  RowSteps(const AnalysedModel& analysed, TokenValues& tokenValues, Emitter& emit)
      : analysed_(analysed), tokenValues_(tokenValues), emit_(emit) {}

  // Plans what makes this output of a node; false where it is nothing of the kind.
  bool follow(const Node& node, const std::string& value);

 private:
  bool followMaskHead(const std::string& value);
  // A blob's rows to those of a new one.
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

// What a block does around attention within windows of its own: zeros are added below the grid and
// to its right where windows reach over it, rows are dealt out to the windows, then put back, and
// what was added is cut off.
class WindowSteps {
 public:
  WindowSteps(const AnalysedModel& analysed, TokenValues& tokenValues)
      : analysed_(analysed), tokenValues_(tokenValues) {}

  // Whether a node is one of these, of tokens: then its value is.
  bool follow(const Node& node, const std::string& value);

 private:
  bool followPad(const Node& node, const std::string& value);
  bool followDeal(const Node& node, const std::string& value);
  bool followPutBack(const Node& node, const std::string& value);
  bool followCut(const Node& node, const std::string& value);

  const AnalysedModel& analysed_;
  TokenValues& tokenValues_;
};

// Whether `value` is rows that are dealt out to windows, with zeros in each cell that was added.
bool hasZerosAdded(const AnalysedModel& analysed, const std::string& value);

// Whether two values have the same rows of the same blobs' kind, in one order.
bool hasSameRows(const Tokens& a, const Tokens& b);

// Nodes that make each row of tokens of that row alone, whatever they compute: functions of single
// elements, of rows and vectors, sums and means along a row; and of rows and what is one for all of
// an image's, [B, 1, D] (a condition, a gate). On live rows they give live rows, so they stay what
// they are, on the blob. What others know better (norms, linear layers) is theirs.
class RowFunctions {
 public:
  RowFunctions(const AnalysedModel& analysed, TokenValues& tokenValues, Emitter& emit)
      : analysed_(analysed), tokenValues_(tokenValues), emit_(emit) {}

  // Plans what makes this value; false where it is nothing of the kind.
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
  // A number or a vector for all rows of an image.
  bool isOfImage(const std::string& input, const std::string& value) const;
  bool addOfImage(const std::string& input, const std::string& value, Operands& operands);
  // False where OpenCV would not know what is spread.
  bool plan(const Node& node, const std::string& value, Operands operands);
  bool isAlike(const std::string& value, const Tokens& rows) const;

  const AnalysedModel& analysed_;
  TokenValues& tokenValues_;
  Emitter& emit_;
};

}  // namespace mpm::onnx
