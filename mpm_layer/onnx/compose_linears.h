// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// What linear layers, sums of their results, factors and shifts of features, and parts of them that
// are joined again make of one input (an adapter of low rank beside a layer, say) becomes one
// linear layer, where that has no more weights. Returns the number of changes; `values` are of no
// use then. Dims have to be known.
int composeLinears(Model& model, const Values& values);

}  // namespace mpm::onnx
