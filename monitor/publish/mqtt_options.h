// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/publish/mqtt_publisher.h"

namespace mpm::monitor {

/// std::invalid_argument, one sentence that holds nothing of the options' values.
void checkMqttOptions(const MqttOptions& options);

}  // namespace mpm::monitor
