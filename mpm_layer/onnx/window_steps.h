// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/standing.h"

namespace mpm::onnx {

// What a block does around attention within windows of its own: zeros are added below the grid and
// to its right where windows reach over it, rows are dealt out to the windows, then put back, and
// what was added is cut off.
class WindowSteps {
 public:
  WindowSteps(const Facts& facts, Standing& standing) : facts_(facts), standing_(standing) {}

  // Whether a node is one of these, of tokens: then its value is.
  bool follow(const Node& node, const std::string& value);

 private:
  bool followPad(const Node& node, const std::string& value);
  bool followDeal(const Node& node, const std::string& value);
  bool followPutBack(const Node& node, const std::string& value);
  bool followCut(const Node& node, const std::string& value);

  const Facts& facts_;
  Standing& standing_;
};

// Whether `value` is rows that are dealt out to windows, with zeros in each cell that was added.
bool hasZerosAdded(const Facts& facts, const std::string& value);

}  // namespace mpm::onnx
