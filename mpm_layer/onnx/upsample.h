// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/lower.h"

namespace mpm::onnx {

// Resizes of [B C H W] that the layer mpm.Upsample computes become it, as nodes of the domain mpm:
// linear ones of height and width alone. Where a Transpose and a Reshape stand in front, which make
// planes of scores [B N C], the layer reads the scores. Of dims those are right that values have at
// the model's own input size: rank and channels are what is looked at, and that the two nodes do
// not mix them. Returns how many there were.
int useUpsample(Model& model, const DimsOf& ownDims);

}  // namespace mpm::onnx
