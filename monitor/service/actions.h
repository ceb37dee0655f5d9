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

/// What a rule does besides being recorded: it runs its command and is published. So are faults of
/// cameras. A command that fails becomes an event, of each rule one a minute at most.
class Actions : public EngineListener {
 public:
  using Tell = std::function<void(std::size_t source, const Event& event)>;

  /// `mqtt` may be null, and outlives this. `tell` is called from any thread, returns at once and
  /// never throws.
  Actions(std::vector<std::string> sourceNames, MqttPublisher* mqtt, Tell tell,
          Clock& clock = systemClock(), const CommandOptions& options = {});

  Commands::Status commands() const { return commands_.status(); }

  void onFiring(std::size_t source, const Rule& rule, const Firing& firing,
                const FrameResultPtr& newest) override;
  void onCamera(std::size_t source, const CameraChange& change,
                const FrameResultPtr& result) override;

 private:
  // Of one rule's command.
  struct Failures {
    std::int64_t toldMs = 0;  // steady
    std::uint64_t untold = 0;
  };
  void commandFailed(const CommandFailure& failure);

  std::vector<std::string> sourceNames_;
  MqttPublisher* mqtt_;
  Tell tell_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::string>, Failures> failures_;  // by source and rule
  Commands commands_;  // last: its thread tells of failures
};

}  // namespace mpm::monitor
