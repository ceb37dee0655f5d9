// SPDX-License-Identifier: Apache-2.0
#include "open_runner.h"

#include <dlfcn.h>

#include <stdexcept>

#include "torch/blob.h"

namespace mpm::bench {

Runner& openRunner(const std::string& library, const std::string& device) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  auto* const entry = reinterpret_cast<RunnerEntry*>(dlsym(handle, kRunnerEntry));
  if (entry == nullptr) throw std::runtime_error(library + " is no runner: it lacks mpm_runner");
  std::string why;
  Runner* const runner = entry(kRunnerVersion, device.c_str(), &why);
  if (runner == nullptr) throw std::runtime_error("device " + device + ": " + why);
  return *runner;
}

RunnerBlob imageBlob(const at::Tensor& images) { return torch_runner::denseBlob(images); }

}  // namespace mpm::bench
