// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mosquitto.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "monitor/publish/mqtt_outbox.h"
#include "monitor/publish/mqtt_publisher.h"

namespace mpm::monitor {

/// What the threads of a publisher share. It lives as long as the last of them.
struct MqttShared {
  explicit MqttShared(const MqttOptions& chosen);  ///< std::runtime_error: the system has no files
                                                   ///< left
  ~MqttShared();

  void wake();  ///< the thread that sends

  const MqttOptions options;
  MqttOutbox outbox;
  std::atomic<bool> stopping{false};
  int wakeFile = -1;  ///< readable after wake()
  std::mutex mutex;   ///< of:
  MqttStatus status;
};

/// One connection to a broker, from its first byte to its last. libmosquitto's own loop ends for
/// good on some faults (TLS, a name that is not found), so this is another one: whoever wants to
/// try again makes another connection. One thread alone.
class MqttConnection {
 public:
  explicit MqttConnection(MqttShared& shared);

  /// Until the connection ends; says why, in one sentence, or nothing where it was to end.
  std::string run();
  bool wasAccepted() const { return wasAccepted_; }

 private:
  struct Destroy {
    void operator()(mosquitto* client) const { mosquitto_destroy(client); }
  };

  static void onConnect(mosquitto* client, void* self, int code);
  static void onPublish(mosquitto* client, void* self, int id);
  static void onMessage(mosquitto* client, void* self, const mosquitto_message* message);
  static void onLog(mosquitto* client, void* self, int level, const char* text);

  int prepare();
  int step(int patienceMs);
  std::int64_t lookAtSize();
  void handOver();
  void lookForOldSources();
  void contradict(const mosquitto_message& message);
  void farewell();
  bool publish(MqttOutbox::Parcel parcel);
  std::string explain(int code, int systemError) const;

  MqttShared& shared_;
  std::unique_ptr<mosquitto, Destroy> client_;
  bool isOpen_ = false;  // for bytes; once the broker lets us in, connected
  bool isConnected_ = false, wasAccepted_ = false;
  std::chrono::steady_clock::time_point heardUntil_;  // what the broker keeps; none: heard
  int farewellId_ = 0;
  bool farewellDone_ = false;
  std::int64_t messageBegin_ = 0;  // of bytes from the broker
  std::string refusal_, excess_, logged_;
};

}  // namespace mpm::monitor
