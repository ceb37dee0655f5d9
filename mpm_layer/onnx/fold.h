// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"

namespace mpm::onnx {

// Computes what can be known without a frame and puts constants in its place: the arithmetic that
// exporters leave around shapes. Shape (of a constant, or where the file describes the value;
// single dimensions of a partly known shape count), Gather, Unsqueeze, Squeeze, Concat, Slice,
// Cast, Reshape, Transpose, Expand, Add, Sub, Mul, Div, Sqrt, Equal, Where, ConstantOfShape, Range,
// on float32, int64, int32 and bool; Identity goes whatever it passes on. Then dead nodes go.
//
// Left alone: a node that gives an output of the graph, a result of more than 10^6 elements,
// everything once 10^7 elements were computed, and whatever is wrong or overflows (the runtime will
// have its own words for that). Returns how many nodes were folded.
int fold(Model& model);

}  // namespace mpm::onnx
