// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/lower_spelling.h"

namespace mpm::onnx {

// Rules for the nodes that lower() spells out; see there for what each leaves alone.

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

// ONNX
bool lowerAttention(Spelling& spelling);

}  // namespace mpm::onnx
