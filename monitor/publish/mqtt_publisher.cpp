// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_publisher.h"

#include <mosquitto.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "digest/sha256.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr int kKeepAliveSeconds = 30, kStepMs = 100;
constexpr milliseconds kConnectPatience{7000};  // the system gives a host that is away two minutes
constexpr std::size_t kMostHanded = 20;         // as many as the library has on their way at once
constexpr std::chrono::seconds kListen{5};      // any monitor sends its states meanwhile
constexpr milliseconds kLastEvents{400}, kLastWord{300}, kEnd{900};

// The library's last error, which explains TLS errors better than its codes. Each thread has its
// own, since the library logs in the thread that calls it.
thread_local std::string logged;

// Keeps the same name, so that the broker ends an old connection, and sends its last will, before
// it accepts the next. Under another name "offline" would follow the next one's "online".
std::string clientId(const MqttOptions& options) {
  std::string machine;
  std::getline(std::ifstream("/etc/machine-id"), machine);
  if (machine.empty()) {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    machine = name.data();
  }
  return "mpm-" + digest::sha256Of(machine + ' ' + options.prefix).substr(0, 16);
}

const MqttOptions& checked(const MqttOptions& options) {
  checkMqttOptions(options);
  if (!options.caFile.empty() && access(options.caFile.c_str(), R_OK) != 0)
    throw std::runtime_error("the CA file " + options.caFile + " cannot be read");
  static const int code = mosquitto_lib_init();  // never undone: a thread may be left behind
  if (code != MOSQ_ERR_SUCCESS)
    throw std::runtime_error(std::string("libmosquitto cannot be started: ") +
                             mosquitto_strerror(code));
  return options;
}

}  // namespace

/// Holds messages and passes them to the library while there is a connection. One thread runs
/// `run`, in which the library calls back; any thread publishes. The library's own thread is not
/// used: it ends for good if TLS fails, as it does while a broker starts.
class MqttPublisher::Impl {
 public:
  explicit Impl(const MqttOptions& options) : options_(checked(options)) {}

  void run() {
    milliseconds wait(options_.firstWaitMs);
    while (true) {
      const bool wasAccepted = connectOnce();
      if (wasAccepted) wait = milliseconds(options_.firstWaitMs);
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, wait, [&] { return isStopping_; })) break;
      wait = std::min(wait * 2, milliseconds(options_.longestWaitMs));
    }
    const std::lock_guard lock(mutex_);
    isOver_ = true;
    changed_.notify_all();
  }

  /// Sends what waits, and "offline". Returns false if the thread is busy and left behind.
  bool end() {
    const auto until = SteadyClock::now() + kEnd;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLastEvents, [&] { return client_ == nullptr || events_.empty(); });
    isStopping_ = true;
    changed_.notify_all();
    if (client_ != nullptr) {
      farewell_ = hand(statusMessage(options_.prefix, false));
      changed_.wait_for(lock, kLastWord, [&] { return client_ == nullptr || farewell_ == 0; });
    }
    if (client_ != nullptr) mosquitto_disconnect(client_);
    return changed_.wait_until(lock, until, [&] { return isOver_; });
  }

  void put(const PublishedState& state) {
    const std::lock_guard lock(mutex_);
    for (const PublishedSource& source : state.sources) {
      SourceState& known = states_[source.name];
      known.payload = stateJson(source);
      known.isHanded = false;
      if (!options_.discoveryPrefix.empty()) announce(state, source, known);
      if (client_ != nullptr) handState(source.name, known);
    }
    // Repeats "online": the last will of a connection with another name, such as a recreated
    // container, may arrive long after this one began.
    const bool isDue = SteadyClock::now() - saidOnline_ > milliseconds(options_.sayOnlineMs);
    if (client_ != nullptr && isDue) handOnline();
  }

  void put(const std::string& source, const Event& event) {
    MqttMessage message{options_.prefix + '/' + source + "/event", eventJson(source, event), 1,
                        false};
    const std::lock_guard lock(mutex_);
    events_.push_back({std::move(message)});
    handEvents();
    while (events_.size() > options_.mostWaiting) {
      // Skips events that the library already has, since they still go out.
      events_.erase(std::find_if(events_.begin(), events_.end(),
                                 [](const WaitingEvent& waiting) { return waiting.id == 0; }));
      ++status_.lost;
    }
  }

  MqttStatus status() const {
    const std::lock_guard lock(mutex_);
    MqttStatus status = status_;
    status.waiting = events_.size();
    return status;
  }

 private:
  struct Destroy {
    void operator()(mosquitto* client) const { mosquitto_destroy(client); }
  };
  struct WaitingEvent {
    MqttMessage message;
    int id = 0;  // that the broker will acknowledge; 0: not handed over in this connection
  };
  struct SourceState {
    std::string payload;
    bool isHanded = false;
    int id = 0;                       // of the one that is on its way
    std::vector<MetricName> metrics;  // that Home Assistant was told of, as the rules
    std::vector<PublishedRule> rules;
    std::map<std::string, MqttMessage> configs;  // by topic
  };

  /// Handles one connection from its first byte to its last with its own client, so that none
  /// inherits another's unsent messages. Returns whether the broker accepted it.
  bool connectOnce() {
    const std::unique_ptr<mosquitto, Destroy> client(
        mosquitto_new(clientId(options_).c_str(), true, this));
    logged.clear();
    errno = 0;
    int code = client ? prepare(client.get()) : MOSQ_ERR_NOMEM, systemError = errno;
    const auto since = SteadyClock::now();
    bool wasAccepted = false;
    while (code == MOSQ_ERR_SUCCESS) {
      errno = 0;
      code = mosquitto_loop(client.get(), kStepMs, 1);
      systemError = errno;
      const std::lock_guard lock(mutex_);
      wasAccepted = wasAccepted || client_ != nullptr;
      if (client_ != nullptr) {
        takeBackOldSources();
      } else if (isStopping_) {
        break;
      } else if (code == MOSQ_ERR_SUCCESS && SteadyClock::now() - since > kConnectPatience) {
        code = MOSQ_ERR_ERRNO;
        systemError = ETIMEDOUT;
      }
    }
    const std::lock_guard lock(mutex_);
    status_.fault = isStopping_ ? "" : explain(code, systemError);
    status_.connected = false;
    client_ = nullptr;
    for (WaitingEvent& event : events_) event.id = 0;
    changed_.notify_all();
    return wasAccepted;
  }

  int prepare(mosquitto* client) {
    refusal_.clear();
    mosquitto_threaded_set(client, true);
    mosquitto_connect_callback_set(client, [](mosquitto* of, void* self, int code) {
      static_cast<Impl*>(self)->connected(of, code);
    });
    mosquitto_publish_callback_set(
        client, [](mosquitto*, void* self, int id) { static_cast<Impl*>(self)->taken(id); });
    mosquitto_message_callback_set(client,
                                   [](mosquitto*, void* self, const mosquitto_message* message) {
                                     static_cast<Impl*>(self)->heard(*message);
                                   });
    mosquitto_log_callback_set(client, [](mosquitto*, void*, int level, const char* text) {
      if (level == MOSQ_LOG_ERR) logged = text;
    });
    const MqttMessage will = statusMessage(options_.prefix, false);
    int code = mosquitto_will_set(client, will.topic.c_str(), static_cast<int>(will.payload.size()),
                                  will.payload.data(), will.qos, will.retain);
    if (code == MOSQ_ERR_SUCCESS && !options_.user.empty()) {
      code = mosquitto_username_pw_set(
          client, options_.user.c_str(),
          options_.password.empty() ? nullptr : options_.password.c_str());
    }
    if (code == MOSQ_ERR_SUCCESS && options_.tls) {
      code = options_.caFile.empty() ? mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
                                     : mosquitto_tls_set(client, options_.caFile.c_str(), nullptr,
                                                         nullptr, nullptr, nullptr);
    }
    if (code != MOSQ_ERR_SUCCESS) return code;
    const int port = options_.port != 0 ? options_.port : options_.tls ? 8883 : 1883;
    return mosquitto_connect_async(client, options_.host.c_str(), port, kKeepAliveSeconds);
  }

  /// Withdraws what the broker keeps of renamed sources and removed rules, which Home Assistant
  /// would show for ever. Another monitor with this prefix loses nothing, since its states arrive
  /// while this one listens. A broker that forbids listening changes nothing.
  void takeBackOldSources() {
    if (states_.empty() || SteadyClock::now() < listensUntil_) return;
    listensUntil_ = SteadyClock::time_point::max();
    mosquitto_unsubscribe(client_, nullptr, (options_.prefix + "/+/state").c_str());
    std::set<std::string> sources;
    for (const auto& [source, state] : states_) sources.insert(source);
    for (const std::string& topic : kept_) {
      const std::size_t begin = options_.prefix.size() + 1;
      const std::string source = topic.substr(begin, topic.rfind('/') - begin);
      if (sources.insert(source).second) hand({topic, "", 0, true});
    }
    if (options_.discoveryPrefix.empty()) return;
    for (const std::string& source : sources) {
      const std::string filter = discoveryFilter(options_.discoveryPrefix, options_.prefix, source);
      mosquitto_subscribe(client_, nullptr, filter.c_str(), 0);
    }
  }

  int hand(const MqttMessage& message) {
    int id = 0;
    const int code = mosquitto_publish(client_, &id, message.topic.c_str(),
                                       static_cast<int>(message.payload.size()),
                                       message.payload.data(), message.qos, message.retain);
    if (code != MOSQ_ERR_SUCCESS)
      return 0;  // the connection has ended, and the next one begins anew
    ++status_.messages;
    status_.bytes += message.topic.size() + message.payload.size();
    return id;
  }

  void handOnline() {
    hand(statusMessage(options_.prefix, true));
    saidOnline_ = SteadyClock::now();
  }

  /// Passes only the oldest few events at a time, and more when they are acknowledged. A live
  /// broker that acknowledges nothing would otherwise fill the library's queue without end.
  void handEvents() {
    const std::size_t most = std::min({kMostHanded, options_.mostWaiting, events_.size()});
    for (std::size_t i = 0; i < most && client_ != nullptr; ++i)
      if (events_[i].id == 0) events_[i].id = hand(events_[i].message);
  }

  /// Sends one state of a source at a time, so that a slow broker gets only the latest.
  void handState(const std::string& source, SourceState& state) {
    if (state.isHanded || state.id != 0) return;
    state.id = hand({options_.prefix + '/' + source + "/state", state.payload, 0, true});
    state.isHanded = state.id != 0;
  }

  /// Sends only changes: names seldom change, states every second. Withdraws what no longer exists
  /// with an empty message.
  void announce(const PublishedState& state, const PublishedSource& source, SourceState& known) {
    const auto isSame = [](const PublishedRule& a, const PublishedRule& b) {
      return a.name == b.name && a.toBroker == b.toBroker && a.stale == b.stale;
    };
    if (!known.configs.empty() && known.metrics == source.metrics &&
        std::equal(known.rules.begin(), known.rules.end(), source.rules.begin(), source.rules.end(),
                   isSame))
      return;
    known.metrics = source.metrics;
    known.rules = source.rules;
    auto old = std::exchange(known.configs, {});
    for (MqttMessage& message :
         discoveryMessages(options_.discoveryPrefix, options_.prefix, state, source)) {
      const auto before = old.find(message.topic);
      const bool isNew = before == old.end() || before->second.payload != message.payload;
      if (isNew && client_ != nullptr) hand(message);
      if (before != old.end()) old.erase(before);
      known.configs.emplace(message.topic, std::move(message));
    }
    for (const auto& [topic, message] : old)
      if (client_ != nullptr) hand({topic, "", 1, true});
  }

  std::string explain(int code, int systemError) const {
    std::string text = "the MQTT broker at " + options_.host;
    if (options_.port != 0) text += " port " + std::to_string(options_.port);
    if (!refusal_.empty()) return text + " refuses the connection: " + refusal_;
    text += status_.connected ? " is gone: " : " cannot be reached: ";
    // A connection that ends within a message sets no errno.
    if (code == MOSQ_ERR_ERRNO && systemError == 0) code = MOSQ_ERR_CONN_LOST;
    if (code == MOSQ_ERR_ERRNO) return text + std::generic_category().message(systemError);
    text += mosquitto_strerror(code);
    return logged.empty() ? text : text + " (" + logged + ")";
  }

  /// Sends everything retained again, since the broker may be new, and events without
  /// acknowledgement once more.
  void connected(mosquitto* client, int code) {
    const std::lock_guard lock(mutex_);
    if (isStopping_)
      return;  // nobody would say "offline"; the loop ends, and the last will says it
    if (code != 0) {
      refusal_ = mosquitto_connack_string(code);
      return;
    }
    client_ = client;
    status_.connected = true;
    status_.fault.clear();
    handOnline();
    for (auto& [source, state] : states_) {
      for (const auto& [topic, message] : state.configs) hand(message);
      state.isHanded = false;
      state.id = 0;
      handState(source, state);
    }
    handEvents();
    kept_.clear();
    listensUntil_ = SteadyClock::now() + kListen;
    mosquitto_subscribe(client, nullptr, (options_.prefix + "/+/state").c_str(), 0);
  }

  /// Handles an acknowledgement, or a state that was written.
  void taken(int id) {
    const std::lock_guard lock(mutex_);
    std::erase_if(events_, [&](const WaitingEvent& event) { return event.id == id; });
    handEvents();
    for (auto& [source, state] : states_) {
      if (state.id != id) continue;
      state.id = 0;
      if (client_ != nullptr) handState(source, state);
    }
    if (farewell_ == id) farewell_ = 0;
    changed_.notify_all();
  }

  /// Handles states under this prefix, and what Home Assistant knows of their sources; see below.
  void heard(const mosquitto_message& message) {
    if (message.payloadlen <= 0) return;
    const std::string topic = message.topic;
    const std::lock_guard lock(mutex_);
    if (topic.starts_with(options_.prefix + '/')) {
      message.retain ? void(kept_.insert(topic)) : void(kept_.erase(topic));
      return;
    }
    for (const auto& [source, state] : states_)
      if (state.configs.contains(topic)) return;
    if (message.retain && client_ != nullptr) hand({topic, "", 1, true});
  }

  const MqttOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool isStopping_ = false, isOver_ = false;
  mosquitto* client_ = nullptr;  // while the broker lets us in
  std::string refusal_;
  int farewell_ = 0;
  MqttStatus status_;
  std::deque<WaitingEvent> events_;
  std::map<std::string, SourceState> states_;  // by source
  SteadyClock::time_point saidOnline_, listensUntil_;
  std::set<std::string> kept_;  // topics of states that the broker has and nobody sends
};

MqttPublisher::MqttPublisher(const MqttOptions& options)
    : impl_(std::make_shared<Impl>(options)), thread_([impl = impl_] { impl->run(); }) {}

MqttPublisher::~MqttPublisher() {
  if (impl_->end()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void MqttPublisher::publish(const PublishedState& state) { impl_->put(state); }

void MqttPublisher::publish(const std::string& source, const Event& event) {
  impl_->put(source, event);
}

MqttStatus MqttPublisher::status() const { return impl_->status(); }

}  // namespace mpm::monitor
