// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/model.h"

namespace mpm::onnx {

struct FoundLinear {
  std::string input;
  std::string weight;              // a constant matrix
  bool outByIn = false;            // the matrix is [out x in], else [in x out]
  std::string bias;                // a constant of `out` elements, or empty
  std::vector<const Node*> nodes;  // from output to input
};

// Is `output` a linear layer of some value: MatMul with a constant matrix, with a constant added
// or not, or a Gemm?
std::optional<FoundLinear> findLinear(const Model& model, const std::string& output);

}  // namespace mpm::onnx
