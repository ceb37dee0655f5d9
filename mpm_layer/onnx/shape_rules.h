// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/shape_call.h"

namespace mpm::onnx {

// Each gives the dims of a node's first output (or of all its outputs); nothing where they are not
// known or the node is wrong.

// shape_elementwise.cpp
Dims shapeSame(const ShapeCall& call);       // as the first input
Dims shapeBroadcast(const ShapeCall& call);  // any number of inputs
Shapes shapeAllSame(const ShapeCall& call);  // every output as the first input
Shapes shapeNormalization(const ShapeCall& call);
Shapes shapeBatchNormalization(const ShapeCall& call);

// shape_window.cpp
Dims shapeConv(const ShapeCall& call);
Dims shapeConvTranspose(const ShapeCall& call);
Shapes shapePool(const ShapeCall& call);
Dims shapeGlobalPool(const ShapeCall& call);
Dims shapeDepthToSpace(const ShapeCall& call);
Dims shapeSpaceToDepth(const ShapeCall& call);

// shape_product.cpp
Dims shapeMatMul(const ShapeCall& call);
Dims shapeFusedMatMul(const ShapeCall& call);
Dims shapeGemm(const ShapeCall& call);
Dims shapeEinsum(const ShapeCall& call);

// shape_arrange.cpp
Dims shapeReshape(const ShapeCall& call);
Dims shapeTranspose(const ShapeCall& call);
Dims shapeFlatten(const ShapeCall& call);
Dims shapeSqueeze(const ShapeCall& call);
Dims shapeUnsqueeze(const ShapeCall& call);
Dims shapeConcat(const ShapeCall& call);
Dims shapeExpand(const ShapeCall& call);
Dims shapeTile(const ShapeCall& call);

// shape_select.cpp
Dims shapeSlice(const ShapeCall& call);
Shapes shapeSplit(const ShapeCall& call);
Dims shapeGather(const ShapeCall& call);
Dims shapeGatherElements(const ShapeCall& call);
Dims shapeGatherND(const ShapeCall& call);
Shapes shapeTopK(const ShapeCall& call);

// shape_resize.cpp
Dims shapePad(const ShapeCall& call);
Dims shapeResize(const ShapeCall& call);

// shape_make.cpp
Dims shapeShape(const ShapeCall& call);
Dims shapeScalar(const ShapeCall& call);
Dims shapeConstantOfShape(const ShapeCall& call);
Dims shapeRange(const ShapeCall& call);
Dims shapeNonZero(const ShapeCall& call);
Dims shapeOneHot(const ShapeCall& call);

// shape_reduce.cpp
Dims shapeReduce(const ShapeCall& call);
Dims shapeArg(const ShapeCall& call);

// shape_attention.cpp
Shapes shapeSkipNormalization(const ShapeCall& call);
Dims shapePackedAttention(const ShapeCall& call);     // com.microsoft's Attention
Dims shapeMultiHeadAttention(const ShapeCall& call);  // com.microsoft's
Dims shapeAttention(const ShapeCall& call);           // ONNX 23's

}  // namespace mpm::onnx
