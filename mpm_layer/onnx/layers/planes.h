// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/normal_form/normal_form.h"
#include "onnx/normal_form/rewriter.h"

namespace mpm::onnx {

// Replaces convolutions of planes [B C H W] with constant filters by nodes mpm.Convolve, with a
// Relu that alone reads them. OpenCV 4.6 takes twice as long for them. Those with several groups or
// few outputs stay. Returns how many were replaced.
int useConvolve(Model& model, const DimsOf& dimsOf);

// Replaces resizes of [B C H W] by nodes mpm.Upsample: linear ones of height and width alone. If a
// Transpose and a Reshape make the planes of scores [B N C], the layer reads the scores. `ownDims`
// may be those at the model's own input size. They only give rank and channels, and show that the
// two nodes do not mix channels. Returns how many were replaced.
int useUpsample(Model& model, const DimsOf& ownDims);

}  // namespace mpm::onnx
