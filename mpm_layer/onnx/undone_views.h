// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// Whoever reads what a turn and the turn back leave as it was (rows that became planes, and rows
// again) reads what stood in front. Returns the number of changes; `values` are of no use then.
// Dims have to be known.
int dropUndoneViews(Model& model, const Values& values);

}  // namespace mpm::onnx
