// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mpm::cli {

/// Where something was measured.
struct Machine {
  std::string processor;  ///< as the system names it
  std::string device;     ///< what computes beside it: "NVIDIA H200"; empty: nothing does
  int cores = 0;          ///< that this process may use
  int threads = 0;        ///< that compute
  double memoryGiB = 0;   ///< 0: the system does not tell
  std::string system;     ///< "Debian GNU/Linux 12 (bookworm)"; empty where it does not tell
};

Machine thisMachine(const std::string& device, int threads);

/// "NVIDIA H200, AMD EPYC 9654, 2 threads"
std::string nameOf(const Machine& machine);

/// {"processor", "cores", "memory_gib", "system", "opencv"}, and "device" where there is one;
/// without threads, which stand beside it.
nlohmann::ordered_json machineJson(const Machine& machine);

}  // namespace mpm::cli
