// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// Rows of patches that nodes which only arrange elements cut out of a picture, whatever those are,
// and that a linear layer projects: a convolution that steps by its own size. Where a norm reads
// them first, one that leaves each pixel as it is. Returns the number of changes; `values` are of
// no use then. Dims have to be known.
int cutPatches(Model& model, const Values& values);

}  // namespace mpm::onnx
