// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/layers/emit.h"
#include "onnx/layers/standing.h"

namespace mpm::onnx {

// Whether two values have the same rows of the same blobs' kind, in one order.
bool hasSameRows(const Tokens& a, const Tokens& b);

// Nodes that make each row of tokens of that row alone, whatever they compute: functions of single
// elements, of rows and vectors, sums and means along a row; and of rows and what is one for all of
// an image's, [B, 1, D] (a condition, a gate). On live rows they give live rows, so they stay what
// they are, on the blob. What others know better (norms, linear layers) is theirs.
class RowFunctions {
 public:
  RowFunctions(const Facts& facts, Standing& standing, Emitter& emit)
      : facts_(facts), standing_(standing), emit_(emit) {}

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

  const Facts& facts_;
  Standing& standing_;
  Emitter& emit_;
};

}  // namespace mpm::onnx
