// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/publish/published.h"

namespace mpm::monitor {

struct MqttOptions {
  std::string host;
  int port = 0;  ///< 0: 1883, with TLS 8883
  std::string user, password;
  bool tls = false;
  std::string caFile;  ///< empty: the system's
  std::string prefix = "mpm";
  std::string discoveryPrefix = "homeassistant";  ///< empty: no Home Assistant discovery
  std::size_t mostWaiting = 1000;                 ///< events that are kept while the broker is away
  std::int64_t firstWaitMs = 1000, longestWaitMs = 30000;  ///< between two tries; doubled each time
  std::int64_t sayOnlineMs = 30000;  ///< between two times that the status is told
};

/// Parses mqtt://[user:password@]host[:port][/prefix] or mqtts://... Throws std::invalid_argument,
/// in one sentence without the password.
MqttOptions parseMqttAddress(const std::string& address);

/// Throws std::invalid_argument, in one sentence without the options' values.
void checkMqttOptions(const MqttOptions& options);

/// Publishes PREFIX/status "online" / "offline" (retained, last will), PREFIX/SOURCE/state
/// (retained JSON), PREFIX/SOURCE/event (JSON), and Home Assistant's topics. Never blocks; a broker
/// that is away is retried for ever. Meanwhile only the latest states and the last events are kept.
class MqttPublisher {
 public:
  explicit MqttPublisher(const MqttOptions& options);  ///< std::runtime_error where libmosquitto
                                                       ///< was not there at build time
  ~MqttPublisher();                                    ///< says "offline"; within a second

  void publish(const PublishedState& state);
  void publish(const std::string& source, const Event& event);
  MqttStatus status() const;

 private:
  class Impl;
  std::shared_ptr<Impl>
      impl_;  // of the thread as well, which outlasts this where a name is looked up
  std::thread thread_;
};

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
