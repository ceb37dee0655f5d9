// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/lower.h"

namespace mpm::onnx {

// Convolutions of planes [B C H W] whose filters are constants become the layer mpm.Convolve, as
// nodes of the domain mpm, a Relu that alone reads one included; in OpenCV 4.6 they take twice as
// long. Those of several groups, and of few outputs, stay. Returns how many there were.
int useConvolve(Model& model, const DimsOf& dimsOf);

}  // namespace mpm::onnx
