// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/layers/plan.h"

namespace mpm::onnx {

// Fuses the layers of each pre-norm block into one TransformerBlock, on a plan without
// unneeded nodes:
//   x = in + layerScale1 * Linear(Attention(Linear(Normalize(in))))
//   out = x + layerScale2 * Linear(gelu(Linear(Normalize(x))))
// No other node may read values between these layers. Attention has no positions, and its windows,
// if any, are those of the whole stream. Other layers stay as they are.
void fuseBlocks(const Model& model, Plan& plan);

}  // namespace mpm::onnx
