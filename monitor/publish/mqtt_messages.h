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

/// PREFIX/SOURCE/state (docs/fleet.md has an example): JSON, figures with six digits, null where
/// one is not known.
std::string stateJson(const PublishedSource& source);

/// PREFIX/SOURCE/event.
std::string eventJson(const std::string& source, const Event& event);

/// Tells Home Assistant of a source: a device with an entity for each of the live rows, the merged
/// share, the light, the frame rate, the frame's age, each rule, and, at first not enabled, each
/// class's area. Retained messages under DISCOVERY/{sensor,binary_sensor}/NODE/NAME/config.
std::vector<MqttMessage> discoveryMessages(const std::string& discoveryPrefix,
                                           const std::string& prefix, const PublishedState& state,
                                           const PublishedSource& source);

/// Matches all topics of these messages, of a source of this name.
std::string discoveryFilter(const std::string& discoveryPrefix, const std::string& prefix,
                            const std::string& source);

}  // namespace mpm::monitor
