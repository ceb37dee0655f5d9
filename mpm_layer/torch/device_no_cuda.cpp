// SPDX-License-Identifier: Apache-2.0
// In the place of device_cuda.cpp where LibTorch, or the build, has no CUDA.
#include <stdexcept>

#include "torch/device.h"

namespace mpm::torch_runner {

std::unique_ptr<Device> cudaDevice(const std::string& device) {
  throw std::runtime_error("libmpm_torch was built without CUDA, so it cannot run on " + device +
                           "; expected one built with LibTorch for CUDA and a CUDA compiler");
}

}  // namespace mpm::torch_runner
