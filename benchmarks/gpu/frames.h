// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace mpm::bench {

/// Pictures of a file of bytes [F, side, side, 3] (RGB) as a batch [batch, 3, side, side] of floats
/// from -1 to 1; they begin again where there are too few. Throws std::runtime_error.
at::Tensor readFrames(const std::string& path, int side, int batch);

}  // namespace mpm::bench
