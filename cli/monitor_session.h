// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "cli/monitor_plan.h"
#include "monitor/rules/commands.h"
#include "monitor/service/actions.h"
#include "monitor/service/publishing.h"
#include "monitor/service/recorder.h"

namespace mpm::cli {

/// Everything that runs while something is monitored: record, commands, publishers, and an engine
/// that can be replaced while the others stay.
class MonitorSession {
 public:
  /// Throws what its parts throw. `log` is told what happens, outlives this, and may be null.
  MonitorSession(const MonitorPlan& plan, monitor::EngineListener* log);
  ~MonitorSession();  ///< within 2 s

  /// Reads rules and zones again. With the same zones all goes on but the rules; with others it
  /// begins anew, and returns true. Where they are faulty: throws, and everything goes on as it
  /// was.
  bool reload();

  /// To be called about once a second.
  void publish();

  void stop();  ///< the engine: what it saw can still be asked for

  bool isRunning() const { return engine_ != nullptr; }  ///< false: a reload failed half-way
  const monitor::Engine& engine() const { return *engine_; }
  std::string recordFault() const;
  std::string mqttFault() const;
  int httpPort() const { return http_ ? http_->port() : 0; }

 private:
  monitor::EngineOptions engineOptions() const;
  void begin(monitor::EngineOptions options);
  bool hasZonesOf(const monitor::EngineOptions& options) const;
  void startHttp();
  monitor::RunFacts runFacts(const monitor::NamedSource& source, monitor::Network& network) const;
  std::string settingsJson(const monitor::NamedSource& source,
                           const std::vector<int>& schedule) const;

  MonitorPlan plan_;
  monitor::EngineListener* log_;
  std::string modelHash_;
  std::optional<monitor::Record> record_;
  monitor::Commands commands_;
  std::optional<monitor::MqttPublisher> mqtt_;
  std::unique_ptr<monitor::Recorder> recorder_;
  std::unique_ptr<monitor::Actions> actions_;
  std::unique_ptr<monitor::Publishing> publishing_;
  std::shared_mutex replacing_;  // held by those who ask the engine from other threads
  std::unique_ptr<monitor::Engine> engine_;
  std::optional<monitor::HttpServer> http_;
};

}  // namespace mpm::cli
