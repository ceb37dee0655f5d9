// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// Computes what can be known without a frame and puts constants in its place: the arithmetic that
// exporters leave around shapes (single dimensions of a partly known shape count), and what they
// leave of position embeddings. Known are: Shape and Size; Gather, Slice, Split, Unsqueeze,
// Squeeze, Reshape, Flatten, Concat, Transpose, Expand, Tile; Add, Sub, Mul, Div, Mod, Pow, Min,
// Max; Abs, Ceil, Cos, Exp, Floor, Neg, Reciprocal, Sin, Sqrt; Equal, Less, Greater and their kind,
// And, Or, Not, Where; ReduceMean, ReduceProd, ReduceSum; Resize; Cast, ConstantOfShape, Range; on
// float32, int64, int32 and bool. Identity goes whatever it passes on. Then dead nodes go.
//
// Left alone: a node that gives an output of the graph, a result of more than 2^23 elements,
// everything once nodes read or made 4 * 10^7 float32s or half as many whole numbers, and whatever
// is wrong or overflows (the runtime will have its own words for that). Returns how many nodes were
// folded.
int fold(Model& model);

// The same with what is known already, for input shapes that the file may leave open.
int fold(Model& model, const Values& values);

}  // namespace mpm::onnx
