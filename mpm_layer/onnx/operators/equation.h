// SPDX-License-Identifier: Apache-2.0
// The equation of an Einsum, for operands of known ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/proto.h"

namespace mpm::onnx {

// A letter for each axis; those of an ellipsis have digits, which are the same ones counted from an
// operand's last such axis: that is how they are broadcast.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

// Nothing where the equation has another number of operands, or does not fit their ranks.
std::optional<Equation> readEquation(const Node& node, const std::vector<std::size_t>& ranks);

}  // namespace mpm::onnx
