// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/rules/commands.h"

namespace mpm::monitor {

/// What a rule does besides being recorded: it runs its command and is published.
class Actions : public EngineListener {
 public:
  /// `mqtt` may be null. Both outlive this.
  Actions(std::vector<std::string> sourceNames, Commands& commands, MqttPublisher* mqtt);

  void onFiring(std::size_t source, const Rule& rule, const Firing& firing,
                const FrameResultPtr& newest) override;

 private:
  std::vector<std::string> sourceNames_;
  Commands& commands_;
  MqttPublisher* mqtt_;
};

}  // namespace mpm::monitor
