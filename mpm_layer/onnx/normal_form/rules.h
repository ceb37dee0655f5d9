// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/normal_form/rewriter.h"

namespace mpm::onnx {

// Rules for the nodes that lower() decomposes; it says what each keeps as it is.

// com.microsoft
bool lowerGelu(Spelling& spelling);
bool lowerBiasGelu(Spelling& spelling);
bool lowerFastGelu(Spelling& spelling);
bool lowerQuickGelu(Spelling& spelling);
bool lowerSkipNormalize(Spelling& spelling);
bool lowerFusedMatMul(Spelling& spelling);
bool lowerFusedGemm(Spelling& spelling);
bool lowerFusedConv(Spelling& spelling);
bool lowerPackedAttention(Spelling& spelling);
bool lowerMultiHeadAttention(Spelling& spelling);
bool lowerRuntimeRotary(Spelling& spelling);

// Lowers products with integer weights outside chains of them. Returns the number of changes.
int lowerDynamic(Model& model);

// ONNX
bool lowerAttention(Spelling& spelling);
bool lowerRotary(Spelling& spelling);
bool lowerSplitProduct(Spelling& spelling);
bool lowerPaddedPatches(Spelling& spelling);
bool lowerTurnedMix(Spelling& spelling);
bool lowerEinsum(Spelling& spelling);
bool lowerHeadBias(Spelling& spelling);
bool lowerTurnedSoftmax(Spelling& spelling);
bool lowerSettledChoice(Spelling& spelling);
bool lowerDividedSum(Spelling& spelling);
bool lowerWholeClips(Spelling& spelling);
bool lowerStackedSum(Spelling& spelling);
bool lowerRowPool(Spelling& spelling);
bool lowerPixelResize(Spelling& spelling);
bool lowerAddedConstant(Spelling& spelling);
bool lowerUnitFactor(Spelling& spelling);
bool lowerChannelNorm(Spelling& spelling);

}  // namespace mpm::onnx
