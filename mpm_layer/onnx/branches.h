// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// Puts the branch that is taken in the place of every If whose condition is known: exporters leave
// some that ask for a size or an option. Gives how many there were. One whose branch has a Constant
// that is no tensor (see Model) is left alone.
int takeBranches(Model& model, const Values& values);

}  // namespace mpm::onnx
