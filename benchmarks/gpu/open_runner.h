// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "mpm/runner.h"

namespace mpm::bench {

/// The runner of a library for a device; lives until the process ends. Throws std::runtime_error.
Runner& openRunner(const std::string& library, const std::string& device);

/// Pictures [B, 3, H, W] that lie on the device already.
RunnerBlob imageBlob(const at::Tensor& images);

}  // namespace mpm::bench
