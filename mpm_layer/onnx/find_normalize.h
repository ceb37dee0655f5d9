// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/model.h"

namespace mpm::onnx {

struct FoundNormalize {
  std::string input;
  std::string scale, shift;  // constants of as many elements as there are features; or empty
  float eps = 1e-5F;
  std::vector<const Node*> nodes;  // from output to input
};

// Is `output` a LayerNorm over the last axis of some value? One node LayerNormalization, or the
// mean, difference, square, mean, root and quotient that exporters wrote before ONNX 17, with a
// product and a sum behind them or not. Weights that are no constants are not recognised.
std::optional<FoundNormalize> findNormalize(const Model& model, const std::string& output);

}  // namespace mpm::onnx
