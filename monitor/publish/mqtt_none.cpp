// SPDX-License-Identifier: Apache-2.0
// Replaces mqtt_publisher.cpp if libmosquitto was not found.
#include <stdexcept>

#include "monitor/publish/mqtt_publisher.h"

namespace mpm::monitor {

class MqttPublisher::Impl {};

MqttPublisher::MqttPublisher(const MqttOptions& /*options*/) {
  throw std::runtime_error(
      "this program was built without libmosquitto, so it cannot speak MQTT; install "
      "libmosquitto-dev and build it again");
}

MqttPublisher::~MqttPublisher() = default;

void MqttPublisher::publish(const PublishedState& /*state*/) {}

void MqttPublisher::publish(const std::string& /*source*/, const Event& /*event*/) {}

MqttStatus MqttPublisher::status() const { return {}; }

}  // namespace mpm::monitor
