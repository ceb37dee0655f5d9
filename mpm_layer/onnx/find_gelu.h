// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/model.h"

namespace mpm::onnx {

enum class GeluKind { erf, tanh, quick };

struct FoundGelu {
  GeluKind kind = GeluKind::erf;
  std::string input;
  std::vector<const Node*> nodes;  // from input to output
};

// Is `output` a GELU of some value of the graph? Recognised by what is computed, not by how it is
// written: the element-wise nodes with scalar constants behind `output` are evaluated at points of
// [-8, 8], and compared with the three functions. One node Gelu (ONNX 20, ONNX Runtime's) is the
// simplest case. Of several answers the one with the fewest nodes.
std::optional<FoundGelu> findGelu(const Model& model, const std::string& output);

}  // namespace mpm::onnx
