// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "onnx/embedding.h"
#include "onnx/find.h"
#include "onnx/plan.h"
#include "onnx/tokens.h"

namespace mpm::onnx {

// What an attention knows of its rows' places, as constants of its layer. Of a value that has all
// of a token blob's rows, which come from `embedding`; moved to the blob's grid where that is not
// the model's own. An obstacle where it is not known what becomes of it there.
Finding<std::vector<Weight>> positionsOf(const Model& model, const FoundAttention& attention,
                                         const Tokens& tokens, const Embedding& embedding);

// Of a value that has all of a blob's rows, `width` floats each of the model's own grid: in the
// order of the blob.
std::vector<float> inOrder(const std::vector<float>& rows, std::size_t width, const Tokens& tokens);

}  // namespace mpm::onnx
