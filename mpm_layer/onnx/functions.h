// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/proto.h"

namespace mpm::onnx {

// Puts the nodes of a model's own functions where they are called, in subgraphs and in each other,
// too, and the functions away. ModelError where functions call each other without end, are of
// another opset than the model, or a call does not fit its function.
void callFunctions(::onnx::ModelProto& model);

}  // namespace mpm::onnx
