// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// Writes shapes that nodes compute as constants where one size (the batch, say) is not known and a
// constant can still say what is meant:
//   Reshape  -1 for one size that is not known, 0 for those that are the input's at the same place
//   Expand   1 for sizes that are the input's at the same place
//   Resize   scales instead of sizes, 1 for sizes that stay; only where they give the same sizes
// Others stay as they are. What the constants say holds for every input that `values` was told of.
// Then dead nodes go. Returns how many nodes were settled. For after fold(), with the same values.
int settleReshapes(Model& model, const Values& values);

}  // namespace mpm::onnx
