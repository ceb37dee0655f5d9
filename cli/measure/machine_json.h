// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/core/version.hpp>

#include "cli/measure/machine.h"

namespace mpm::cli {

/// Three digits behind the point are more than any measurement here is good for.
inline double rounded(double number) { return std::round(number * 1000) / 1000; }

inline nlohmann::ordered_json machineJson(const Machine& machine) {
  nlohmann::ordered_json json = {{"processor", machine.processor},
                                 {"cores", machine.cores},
                                 {"memory_gib", rounded(machine.memoryGiB)},
                                 {"system", machine.system},
                                 {"opencv", CV_VERSION}};
  if (!machine.device.empty()) json["device"] = machine.device;
  return json;
}

}  // namespace mpm::cli
