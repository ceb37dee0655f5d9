// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "mpm/runner.h"

namespace mpm::dnn {

/// A runner, and the lock that everybody who calls it holds: nets in several threads share it.
struct LoadedRunner {
  Runner* runner = nullptr;
  std::mutex calls;
};

/// The runner of a device, for the rest of the process. Its library is MPM_RUNNER's, else
/// libmpm_torch.so beside this library, else the one that the system's loader finds; it is asked
/// once. std::invalid_argument, "device cuda: why there is none", where that failed.
LoadedRunner& runnerOf(const std::string& device);

}  // namespace mpm::dnn
