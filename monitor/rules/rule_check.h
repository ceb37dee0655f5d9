// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "monitor/rules/rules.h"

namespace mpm::monitor {

struct RuleFault {
  std::string key;  ///< of a rules file: where it was said, or would be
  std::string sentence;
};

/// What is impossible in a rule, whatever the metrics are.
std::optional<RuleFault> faultOf(const Rule& rule);

/// Where a rule looks at a zone that is none of these.
std::optional<RuleFault> zoneFaultOf(const Rule& rule, const std::vector<Zone>& zones);

/// Where a rule looks at a metric that there is not.
std::optional<RuleFault> metricFaultOf(const Rule& rule, const Metrics& metrics);

}  // namespace mpm::monitor
