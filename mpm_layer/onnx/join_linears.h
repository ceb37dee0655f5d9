// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// Linear layers of one input whose results are joined, feature by feature, become one; so do those
// of q, k and v of heads that are computed by themselves and joined then, each of which reads its
// part of it. Returns the number of changes; `values` are of no use then. Dims have to be
// known.
int joinLinears(Model& model, const Values& values);

}  // namespace mpm::onnx
