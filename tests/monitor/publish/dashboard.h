// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "monitor/publish/child_process.h"

namespace mpm::monitor {

struct DashboardQueries {
  std::vector<std::string> panels;     ///< PromQL with Grafana's variables
  std::vector<std::string> variables;  ///< label_values(...)
};

/// Of a dashboard's file; throws where it is not valid JSON, or not a dashboard.
inline DashboardQueries readDashboard(const std::string& path) {
  DashboardQueries queries;
  const nlohmann::json dashboard = nlohmann::json::parse(readText(path));
  for (const auto& panel : dashboard.at("panels")) {
    if (panel.at("type") == "row") continue;
    for (const auto& target : panel.at("targets")) queries.panels.push_back(target.at("expr"));
  }
  for (const auto& variable : dashboard.at("templating").at("list"))
    queries.variables.push_back(variable.at("definition"));
  return queries;
}

}  // namespace mpm::monitor
