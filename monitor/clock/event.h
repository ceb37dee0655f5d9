// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "monitor/clock/clock.h"

namespace mpm::monitor {

/// Something that happened: a rule, a light change, a lost or moved camera, a set clock.
struct Event {
  Moment at;
  std::string kind;  ///< "rule", "command", "light", "source", "camera", "model", "clock",
                     ///< "record", "schedule", "filter", "memory", "view"
  std::string name;  ///< of the rule, the state, ...
  std::string text;  ///< one sentence for people
  std::optional<double> value;
};

}  // namespace mpm::monitor
