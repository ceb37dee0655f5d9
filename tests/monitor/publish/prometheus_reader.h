// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "monitor/publish/child_process.h"

namespace mpm::monitor {

struct Sample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct ReadFamily {
  std::string help, type;
  std::vector<Sample> samples;
};

/// Reads Prometheus' text format, version 0.0.4, by its specification and strictly: HELP and TYPE
/// once and in front, a family in one piece, names and escapes as allowed, no series twice.
/// std::runtime_error says which line breaks which rule.
std::map<std::string, ReadFamily> readExposition(const std::string& text);

/// The value of the one sample with exactly these labels; std::runtime_error where there is none.
double sampleOf(const std::map<std::string, ReadFamily>& families, const std::string& name,
                const std::map<std::string, std::string>& labels);

struct DashboardQueries {
  std::vector<std::string> panels;     ///< PromQL with Grafana's variables
  std::vector<std::string> variables;  ///< label_values(...)
};

/// Of a dashboard's file; std::runtime_error: it is not valid JSON, or not a dashboard.
inline DashboardQueries readDashboard(const std::string& path) {
  DashboardQueries queries;
  try {
    const nlohmann::json dashboard = nlohmann::json::parse(readText(path));
    for (const auto& panel : dashboard.at("panels")) {
      if (panel.at("type") == "row") continue;
      for (const auto& target : panel.at("targets")) queries.panels.push_back(target.at("expr"));
    }
    for (const auto& variable : dashboard.at("templating").at("list"))
      queries.variables.push_back(variable.at("definition"));
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
  return queries;
}

}  // namespace mpm::monitor
