// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/lower_spelling.h"

namespace mpm::onnx {

// torch.stack(heads, i), turned so that heads lie beside features and joined with these by a
// Reshape, becomes a Concat of the heads' features. Dims have to be known.
bool lowerStackedHeads(Spelling& spelling);

}  // namespace mpm::onnx
