// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// A ScatterND that writes a whole run of one axis, as exporters spell x[..., a:b] = y, becomes the
// Concat of what stays and what is written. `any`: what is known for any number of images. Returns
// the number of changes; both are of no use then. Dims have to be known.
int spellSliceWrites(Model& model, const Values& values, const Values& any);

}  // namespace mpm::onnx
