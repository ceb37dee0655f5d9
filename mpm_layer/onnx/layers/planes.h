// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/normal_form/normal_form.h"
#include "onnx/normal_form/rewriter.h"

namespace mpm::onnx {

// Convolutions of planes [B C H W] whose filters are constants become the layer mpm.Convolve, as
// nodes of the domain mpm, a Relu that alone reads one included; in OpenCV 4.6 they take twice as
// long. Those of several groups, and of few outputs, stay. Returns how many there were.
int useConvolve(Model& model, const DimsOf& dimsOf);

// Resizes of [B C H W] that the layer mpm.Upsample computes become it, as nodes of the domain mpm:
// linear ones of height and width alone. Where a Transpose and a Reshape stand in front, which make
// planes of scores [B N C], the layer reads the scores. Of dims those are right that values have at
// the model's own input size: rank and channels are what is looked at, and that the two nodes do
// not mix them. Returns how many there were.
int useUpsample(Model& model, const DimsOf& ownDims);

}  // namespace mpm::onnx
