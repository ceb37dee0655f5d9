// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "onnx/model.h"

namespace mpm::onnx {

// Who reads a value: nodes of this library, anything else (the graph's outputs included), or both.
inline constexpr std::int64_t kLayersRead = 1, kOthersRead = 2;

// Notes on every node of this library, as attributes, what a layer in a net cannot see: `readers`,
// for each output a sum of the above; `lasting`, for each input 1 where it is an input of the
// graph, whose memory nothing else comes to stand in. For nodes in either spelling of the domain.
void noteReaders(Model& model);

}  // namespace mpm::onnx
