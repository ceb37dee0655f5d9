// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/layers/plan.h"

namespace mpm::onnx {

// Makes one TransformerBlock of the layers of each pre-norm block on a plan whose nodes are all
// needed:
//   x = in + layerScale1 * Linear(Attention(Linear(Normalize(in))))
//   out = x + layerScale2 * Linear(gelu(Linear(Normalize(x))))
// where nobody else reads what is between, attention knows nothing of places, and its windows, if
// it has any, are those of the whole stream. The rest stays as it is.
void fuseBlocks(const Model& model, Plan& plan);

}  // namespace mpm::onnx
