// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/publish/published.h"

namespace mpm::monitor {

/// The text format of Prometheus, version 0.0.4; metric names begin with mpm_, each source is a
/// label.
std::string prometheusText(const PublishedState& state);

struct Health {
  bool healthy = true;
  std::string text;  ///< a line for each source and for the record: what is wrong, or "ok"
};
/// Healthy: every source live (or ended), the record without a fault.
Health healthOf(const PublishedState& state);

}  // namespace mpm::monitor
