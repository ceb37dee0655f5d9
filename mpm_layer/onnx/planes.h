// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/values.h"

namespace mpm::onnx {

// Whether planes [B, D, height, width] are what a model's own stem made of its picture (layers of
// convolutions, activations, positions of another kind) for the attention whose rows `rows` are:
// patches like any others.
bool areOfAStem(const Facts& facts, const std::string& planes, const std::string& rows);

}  // namespace mpm::onnx
