// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/publish/published.h"

namespace mpm::monitor {

struct MqttMessage {
  std::string topic, payload;
  int qos = 1;
  bool retain = false;
};

/// What stands in PREFIX/SOURCE/state (docs/fleet.md has an example): JSON, figures with six
/// digits, null where one is not known.
std::string stateJson(const PublishedSource& source);

/// What stands in PREFIX/SOURCE/event.
std::string eventJson(const std::string& source, const Event& event);

/// "2026-03-01T17:05:09.250Z"
std::string utcText(std::int64_t utcMs);

}  // namespace mpm::monitor
