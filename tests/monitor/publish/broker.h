// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mosquitto.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "monitor/publish/child_process.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/raw_socket.h"

namespace mpm::monitor {

/// A real mosquitto on a port of its own, for the user "gate" with the password "s3cret%pass",
/// that keeps retained messages and sessions over a restart.
class Broker {
 public:
  static bool isInstalled();

  explicit Broker(bool tls = false);
  void start();  ///< again on the same port, after stop()
  void stop();
  MqttOptions options() const;  ///< with which it lets in
  std::string log() const { return readText(folder_.at("mosquitto.log")); }
  const test::Folder& folder() const { return folder_; }

 private:
  void makeCertificates();

  test::Folder folder_;
  bool tls_;
  HeldPort port_;  // by the test, too: no other takes it before the broker, or while it is away
  std::unique_ptr<ChildProcess> process_;
};

/// Hears everything that is published, also what was while it or the broker was away: of one name,
/// whose messages the broker keeps for it. Two at a time have two names.
class Hearer {
 public:
  struct Heard {
    std::string topic, payload;
    int qos = 0;
  };

  explicit Hearer(const MqttOptions& options, const std::string& topics = "#",
                  const std::string& name = "hearer");
  ~Hearer();
  Hearer(const Hearer&) = delete;
  Hearer& operator=(const Hearer&) = delete;

  std::vector<Heard> heard(const std::string& topic = "") const;  ///< of all or one
  bool waitFor(const std::string& topic, const std::string& payloadPart) const;
  void say(const std::string& topic, const std::string& payload);

 private:
  struct Destroy {
    void operator()(mosquitto* client) const { mosquitto_destroy(client); }
  };
  std::string topics_;
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;
  bool isSubscribed_ = false;
  std::unique_ptr<mosquitto, Destroy> client_;
};

}  // namespace mpm::monitor
