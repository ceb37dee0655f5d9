// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"

namespace mpm::onnx {

// Takes casts of float32 values to float32 out of the main graph; how many.
int dropCasts(Model& model);

}  // namespace mpm::onnx
