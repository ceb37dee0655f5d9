// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/operators/shape_call.h"

namespace mpm::onnx {

// Each gives the dims of a node's first output (or of all its outputs); nothing where they are not
// known or the node is wrong.

// shape_elementwise.cpp
Dims shapeSame(const Call& call);       // as the first input
Dims shapeBroadcast(const Call& call);  // any number of inputs
Shapes shapeAllSame(const Call& call);  // every output as the first input
Shapes shapeNormalization(const Call& call);
Shapes shapeBatchNormalization(const Call& call);

// shape_window.cpp
Dims shapeConv(const Call& call);
Dims shapeConvTranspose(const Call& call);
Shapes shapePool(const Call& call);
Dims shapeGlobalPool(const Call& call);
Dims shapeDepthToSpace(const Call& call);
Dims shapeCol2Im(const Call& call);
Dims shapeSpaceToDepth(const Call& call);

// shape_product.cpp
Dims shapeMatMul(const Call& call);
Dims shapeFusedMatMul(const Call& call);
Dims shapeGemm(const Call& call);
Dims shapeEinsum(const Call& call);

// shape_arrange.cpp
Dims shapeReshape(const Call& call);
Dims shapeTranspose(const Call& call);
Dims shapeFlatten(const Call& call);
Dims shapeSqueeze(const Call& call);
Dims shapeUnsqueeze(const Call& call);
Dims shapeConcat(const Call& call);
Dims shapeExpand(const Call& call);
Dims shapeTile(const Call& call);

// shape_select.cpp
Dims shapeSlice(const Call& call);
Shapes shapeSplit(const Call& call);
Dims shapeGather(const Call& call);
Dims shapeGatherElements(const Call& call);
Dims shapeGatherND(const Call& call);
Shapes shapeTopK(const Call& call);

// shape_resize.cpp
Dims shapePad(const Call& call);
Dims shapeResize(const Call& call);
// The one scale of all these axes that a Resize to sizes has under a policy of keeping the aspect;
// nothing where it keeps none, or sizes are not known.
std::optional<float> keptAspect(const std::string& policy, const Integers& dims,
                                const std::vector<std::size_t>& axes, const Integers& sizes);
Dims shapeGridSample(const Call& call);

// shape_make.cpp
Dims shapeShape(const Call& call);
Dims shapeScalar(const Call& call);
Dims shapeConstantOfShape(const Call& call);
Dims shapeRange(const Call& call);
Dims shapeNonZero(const Call& call);
Dims shapeOneHot(const Call& call);

// shape_reduce.cpp
// Which axes a Reduce* takes away, or keeps as ones; nothing where they are not known or wrong.
std::optional<std::vector<bool>> reducedAxes(const Call& call, std::size_t rank);
Dims shapeReduce(const Call& call);
Dims shapeArg(const Call& call);

// shape_attention.cpp
Shapes shapeSkipNormalization(const Call& call);
Dims shapePackedAttention(const Call& call);     // com.microsoft's Attention
Dims shapeMultiHeadAttention(const Call& call);  // com.microsoft's
Dims shapeAttention(const Call& call);           // ONNX 23's

}  // namespace mpm::onnx
