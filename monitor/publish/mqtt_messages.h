// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/publish/published.h"

namespace mpm::monitor {

struct MqttMessage {
  std::string topic, payload;
  int qos = 1;
  bool retain = false;
};

MqttMessage statusMessage(const std::string& prefix, bool isOnline);

/// Returns PREFIX/SOURCE/state as JSON (docs/fleet.md has an example): values with six digits, null
/// if unknown.
std::string stateJson(const PublishedSource& source);

/// Returns PREFIX/SOURCE/event.
std::string eventJson(const std::string& source, const Event& event);

/// Describes a source to Home Assistant: a device with entities for live rows, merged share, light,
/// frame rate, frame age, each rule, and, disabled at first, each class's area. Retained messages
/// under DISCOVERY/{sensor,binary_sensor}/NODE/NAME/config.
std::vector<MqttMessage> discoveryMessages(const std::string& discoveryPrefix,
                                           const std::string& prefix, const PublishedState& state,
                                           const PublishedSource& source);

/// Matches all topics of these messages for a source of this name.
std::string discoveryFilter(const std::string& discoveryPrefix, const std::string& prefix,
                            const std::string& source);

}  // namespace mpm::monitor
