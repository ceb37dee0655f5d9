// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// A model, and what is known of its values for one choice of input sizes.
struct Facts {
  const Model& model;
  const Values& values;
};

}  // namespace mpm::onnx
