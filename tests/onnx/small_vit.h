// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "onnx/proto_model.h"

namespace mpm::test {

inline constexpr std::int64_t kVitDim = 4, kVitPatches = 6, kVitRows = 7;

// The parts of a small ViT over "image" [batch, 1, 4, 6], patches of 2 x 2 and a class token.
// Returns the name of the value each part gives; other names begin with it.
void addImage(::onnx::ModelProto& proto);
std::string addEmbedding(::onnx::ModelProto& proto, const std::string& name = "tokens");

// A pre-norm block of two heads over `stream`. "NAME_half" is between its halves, "NAME_softmax"
// its attention weights, "NAME_gelu" what its MLP gives the last layer.
std::string addBlock(::onnx::ModelProto& proto, const std::string& stream, const std::string& name,
                     std::int64_t rows = kVitRows);

// The second half of a block, from "NAME_half" to NAME, which it gives.
std::string addMlpHalf(::onnx::ModelProto& proto, const std::string& name);

// So many blocks and a norm, "y".
::onnx::ModelProto smallVit(int blocks);

}  // namespace mpm::test
