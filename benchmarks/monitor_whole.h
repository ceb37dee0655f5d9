// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor_street.h"

namespace mpm::bench {

/// CPU seconds of a monitor that ran for so long.
struct MonitorCost {
  double seconds = 0;
  double all = 0;     ///< of the process
  double camera = 0;  ///< of these the camera's
  double asker = 0;   ///< of these, of who asked for /metrics each second
  std::uint64_t frames = 0;
};

/// Camera, light, rules with zones, record and HTTP as in `mpm monitor`, with a net that costs
/// nothing. What it writes is gone afterwards.
MonitorCost runMonitor(const Street& street, double seconds, const std::string& folder);

}  // namespace mpm::bench
