// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/publish/mqtt_messages.h"

namespace mpm::monitor {

/// What tells Home Assistant of a source: a device with an entity for each of the live rows, the
/// merged share, the light, the frame rate, the frame's age, each rule, and, at first not enabled,
/// each class's area. Retained messages under DISCOVERY/{sensor,binary_sensor}/NODE/NAME/config.
std::vector<MqttMessage> discoveryMessages(const std::string& discoveryPrefix,
                                           const std::string& prefix, const PublishedState& state,
                                           const PublishedSource& source);

}  // namespace mpm::monitor
