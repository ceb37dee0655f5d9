// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/monitor_plan.h"
#include "cli/read_options.h"

namespace mpm::cli {

/// The words behind `mpm monitor`.
class MonitorArguments {
 public:
  void addTo(CLI::App& command);
  MonitorPlan plan() const;  ///< UsageError, one sentence, on what cannot be

 private:
  void addSourceOptions(CLI::App& command);
  void addRecordOptions(CLI::App& command);
  void addPublishingOptions(CLI::App& command);
  void planEngine(MonitorPlan& plan) const;
  void planRecord(MonitorPlan& plan) const;
  void planHttp(MonitorPlan& plan) const;
  void planMqtt(MonitorPlan& plan) const;

  std::string model_, record_, http_, httpTokenFile_, mqtt_, mqttPasswordFile_, mqttCa_, location_,
      light_;
  std::vector<std::string> sources_, rules_;
  double mostFps_ = 10, seconds_ = 0, keepDays_ = 0, recordGigabytes_ = 0;
  bool replay_ = false, loop_ = false, json_ = false;
  ReadOptionArguments read_;
};

}  // namespace mpm::cli
