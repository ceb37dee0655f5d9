// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mpm::monitor {

struct DashboardQueries {
  std::vector<std::string> panels;     ///< PromQL with Grafana's variables
  std::vector<std::string> variables;  ///< label_values(...)
};

/// Of a dashboard's file; std::runtime_error: it is not valid JSON, or not a dashboard.
DashboardQueries readDashboard(const std::string& path);

}  // namespace mpm::monitor
