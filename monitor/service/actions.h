// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/rules/commands.h"

namespace mpm::monitor {

/// Acts on events: runs the commands of rules and publishes all events, except those of rules that
/// opt out. A failing command becomes an event, at most one a minute for each rule.
class Actions : public EngineListener {
 public:
  using Tell = std::function<void(const std::string& source, const Event& event)>;

  /// `mqtt` may be null and must outlive this. `tell` reports failed commands from any thread,
  /// returns at once and never throws; this object publishes them.
  Actions(MqttPublisher* mqtt, Tell tell, Clock& clock = systemClock(),
          const CommandOptions& options = {});

  Commands::Status commands() const { return commands_.status(); }
  /// Ends the commands of rules, as Commands does, and reports it. Call it from one thread.
  void end();

  void onFiring(const std::string& source, const Rule& rule, const Firing& firing,
                const FrameResultPtr& newest) override;
  void onEvent(const std::string& source, const Event& event) override;

 private:
  // Counts the failures of one rule's command.
  struct Failures {
    std::int64_t toldMs = 0;  // steady
    std::uint64_t untold = 0;
  };
  void commandFailed(const CommandFailure& failure);
  void tellCommand(const std::string& source, const std::string& rule, const std::string& text);

  MqttPublisher* mqtt_;
  Tell tell_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Failures> failures_;  // by source and rule
  Commands commands_;  // last: its thread tells of failures
};

}  // namespace mpm::monitor
