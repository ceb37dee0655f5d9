// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_publisher.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <random>
#include <stdexcept>
#include <thread>

#include "monitor/publish/mqtt_connection.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEndPatience{900};

/// The thread's own: it may outlast the publisher, while a name is looked up.
struct Sender {
  explicit Sender(const MqttOptions& options) : shared(options) {}

  void run();
  bool connectOnce();                 ///< until that connection ends; whether the broker let us in
  bool pause(milliseconds duration);  ///< false: it is to end

  MqttShared shared;
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
};

bool Sender::pause(milliseconds duration) {
  std::unique_lock lock(mutex);
  return !changed.wait_for(lock, duration, [&] { return shared.stopping.load(); });
}

bool Sender::connectOnce() {
  bool wasAccepted = false;
  std::string fault;
  {
    const std::lock_guard lock(shared.mutex);
    ++shared.status.tries;
  }
  try {
    MqttConnection connection(shared);
    fault = connection.run();
    wasAccepted = connection.wasAccepted();
  } catch (const std::exception&) {
    fault = "MQTT is stopped because the system has no memory left";
  }
  const std::lock_guard lock(shared.mutex);
  shared.status.connected = false;
  shared.status.fault = std::move(fault);
  return wasAccepted;
}

void Sender::run() {
  std::minstd_rand chance(std::random_device{}());
  const milliseconds first(shared.options.firstWaitMs), longest(shared.options.longestWaitMs);
  milliseconds wait = first;
  while (!shared.stopping) {
    if (connectOnce()) wait = first;
    std::uniform_int_distribution<milliseconds::rep> more(0, wait.count() / 5);
    if (!pause(wait + milliseconds(more(chance)))) break;
    wait = std::min(wait * 2, longest);
  }
  const std::lock_guard lock(mutex);
  isOver = true;
  changed.notify_all();
}

void prepareLibrary() {
  static const int code = mosquitto_lib_init();  // never undone: a thread may be left behind
  if (code != MOSQ_ERR_SUCCESS)
    throw std::runtime_error(std::string("libmosquitto cannot be started: ") +
                             mosquitto_strerror(code));
}

const MqttOptions& checked(const MqttOptions& options) {
  checkMqttOptions(options);
  if (!options.caFile.empty() && access(options.caFile.c_str(), R_OK) != 0)
    throw std::runtime_error("the CA file " + options.caFile + " cannot be read");
  prepareLibrary();
  return options;
}

}  // namespace

class MqttPublisher::Impl {
 public:
  explicit Impl(const MqttOptions& options)
      : sender_(std::make_shared<Sender>(checked(options))),
        thread_([sender = sender_] { sender->run(); }) {}

  ~Impl() {
    {
      std::unique_lock lock(sender_->mutex);
      sender_->shared.stopping = true;
      sender_->changed.notify_all();
      sender_->shared.wake();
      sender_->changed.wait_for(lock, kEndPatience, [&] { return sender_->isOver; });
      if (!sender_->isOver) thread_.detach();
    }
    if (thread_.joinable()) thread_.join();
  }

  MqttShared& shared() { return sender_->shared; }

 private:
  std::shared_ptr<Sender> sender_;
  std::thread thread_;
};

MqttPublisher::MqttPublisher(const MqttOptions& options) : impl_(std::make_unique<Impl>(options)) {}

MqttPublisher::~MqttPublisher() = default;

void MqttPublisher::publish(const PublishedState& state) {
  impl_->shared().outbox.put(state);
  impl_->shared().wake();
}

void MqttPublisher::publish(const std::string& source, const Event& event) {
  impl_->shared().outbox.put(source, event);
  impl_->shared().wake();
}

MqttStatus MqttPublisher::status() const {
  MqttShared& shared = impl_->shared();
  const std::lock_guard lock(shared.mutex);
  MqttStatus status = shared.status;
  status.lost = shared.outbox.lost();
  status.waiting = shared.outbox.untoldEvents();
  return status;
}

}  // namespace mpm::monitor
