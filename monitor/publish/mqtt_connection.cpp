// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_connection.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "digest/sha256.h"

namespace mpm::monitor {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kKeepAliveSeconds = 30;
constexpr std::chrono::milliseconds kConnectPatience{7000};
constexpr int kStepMs = 1000, kStepWhileConnectingMs = 100;
constexpr const char *kStates = "/+/state", *kStatus = "/status";
constexpr std::string_view kOffline = "offline";
constexpr std::chrono::seconds kListen{5};
// libmosquitto makes room for whatever a broker says that it sends, up to 256 MB, and keeps each
// message of quality 2 until the broker lets go of it. What comes back of our own is far shorter,
// and was asked for with quality 0 or 1.
constexpr std::int64_t kMostMessageBytes = 1 << 20;
// Of the second that an end may take: for events, and for saying "offline".
constexpr std::chrono::milliseconds kLastEvents{400}, kLastWord{300};

// The same in every connection of this machine with this prefix, so that a broker that has not yet
// noticed the end of an old one ends it when the next one comes. With another name its last will,
// "offline", would come after the "online" of the next (see contradict).
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

/// How much of a connection has been taken from the system.
std::int64_t bytesTaken(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  int waiting = 0;  // asked for first: what comes between the two would be less than nothing
  if (ioctl(socket, FIONREAD, &waiting) != 0 ||
      getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
    return 0;
  }
  return static_cast<std::int64_t>(info.tcpi_bytes_received) - waiting;
}

}  // namespace

MqttShared::MqttShared(const MqttOptions& chosen)
    : options(chosen), outbox(chosen), wakeFile(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wakeFile < 0) throw std::runtime_error("MQTT cannot start: no more files can be opened");
}

MqttShared::~MqttShared() { close(wakeFile); }

void MqttShared::wake() {
  // Full is as good as written: it is readable.
  [[maybe_unused]] const int ignored = eventfd_write(wakeFile, 1);
}

MqttConnection::MqttConnection(MqttShared& shared)
    : shared_(shared), client_(mosquitto_new(clientId(shared.options).c_str(), true, this)) {}

int MqttConnection::prepare() {
  if (!client_) return MOSQ_ERR_NOMEM;
  const MqttOptions& options = shared_.options;
  mosquitto* client = client_.get();
  mosquitto_connect_callback_set(client, onConnect);
  mosquitto_publish_callback_set(client, onPublish);
  mosquitto_message_callback_set(client, onMessage);
  mosquitto_log_callback_set(client, onLog);
  const std::string status = options.prefix + kStatus;
  int code = mosquitto_will_set(client, status.c_str(), static_cast<int>(kOffline.size()),
                                kOffline.data(), 1, true);
  if (code == MOSQ_ERR_SUCCESS && !options.user.empty()) {
    code = mosquitto_username_pw_set(client, options.user.c_str(),
                                     options.password.empty() ? nullptr : options.password.c_str());
  }
  if (code == MOSQ_ERR_SUCCESS && options.tls) {
    code = options.caFile.empty() ? mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
                                  : mosquitto_tls_set(client, options.caFile.c_str(), nullptr,
                                                      nullptr, nullptr, nullptr);
  }
  if (code != MOSQ_ERR_SUCCESS) return code;
  const int port = options.port != 0 ? options.port : options.tls ? 8883 : 1883;
  return mosquitto_connect_async(client, options.host.c_str(), port, kKeepAliveSeconds);
}

std::string MqttConnection::run() {
  errno = 0;
  int code = prepare();
  const auto since = SteadyClock::now();
  while (code == MOSQ_ERR_SUCCESS) {
    if (shared_.stopping) {
      if (isConnected_) farewell();
      return "";
    }
    if (!isConnected_ && SteadyClock::now() - since > kConnectPatience)
      return explain(MOSQ_ERR_SUCCESS, ETIMEDOUT);
    lookForOldSources();
    handOver();
    errno = 0;
    code = step(isConnected_ ? kStepMs : kStepWhileConnectingMs);
  }
  return explain(code, errno);
}

/// Waits for the broker or for something to send, and does what there is to do.
int MqttConnection::step(int patienceMs) {
  mosquitto* client = client_.get();
  const int socket = mosquitto_socket(client);
  if (socket < 0) return MOSQ_ERR_NO_CONN;
  const bool wantsWrite = mosquitto_want_write(client) || !isOpen_;
  std::array<pollfd, 2> files{
      pollfd{socket, static_cast<short>(POLLIN | (wantsWrite ? POLLOUT : 0)), 0},
      pollfd{shared_.wakeFile, POLLIN, 0}};
  if (poll(files.data(), files.size(), patienceMs) < 0 && errno != EINTR) return MOSQ_ERR_ERRNO;
  if ((files[1].revents & POLLIN) != 0) {
    eventfd_t ignored = 0;
    eventfd_read(shared_.wakeFile, &ignored);
  }
  if ((files[0].revents & POLLOUT) != 0) isOpen_ = true;
  int code = MOSQ_ERR_SUCCESS;
  errno = 0;
  if ((files[0].revents & (POLLIN | POLLERR | POLLHUP)) != 0) {
    code = mosquitto_loop_read(client, 1);
    lookAtSize();
    if (!excess_.empty()) return MOSQ_ERR_PROTOCOL;
  }
  if (code == MOSQ_ERR_SUCCESS && (files[0].revents & POLLOUT) != 0)
    code = mosquitto_loop_write(client, 1);
  if (code == MOSQ_ERR_SUCCESS) code = mosquitto_loop_misc(client);
  return code;
}

/// Of the message that is being read, or is whole now.
std::int64_t MqttConnection::lookAtSize() {
  const int socket = mosquitto_socket(client_.get());
  if (socket < 0) return messageBegin_;  // closed; errno says why
  const std::int64_t taken = bytesTaken(socket);
  if (taken - messageBegin_ > kMostMessageBytes) excess_ = "a message of more than a megabyte";
  return taken;
}

void MqttConnection::handOver() {
  while (isConnected_) {
    auto parcel = shared_.outbox.next(!mosquitto_want_write(client_.get()));
    if (!parcel || !publish(std::move(*parcel))) return;
  }
}

bool MqttConnection::publish(MqttOutbox::Parcel parcel) {
  const MqttMessage& message = parcel.message;
  const std::size_t size = message.topic.size() + message.payload.size();
  int id = 0;
  const int code = mosquitto_publish(client_.get(), &id, message.topic.c_str(),
                                     static_cast<int>(message.payload.size()),
                                     message.payload.data(), message.qos, message.retain);
  if (code == MOSQ_ERR_NO_CONN || code == MOSQ_ERR_CONN_LOST || code == MOSQ_ERR_ERRNO) {
    shared_.outbox.putBack(std::move(parcel));
    return false;
  }
  const std::lock_guard lock(shared_.mutex);
  if (code == MOSQ_ERR_SUCCESS) {
    shared_.outbox.handed(id, std::move(parcel));
    ++shared_.status.messages;
    shared_.status.bytes += size;
  } else {
    shared_.status.fault =
        "a message to " + message.topic + " could not be sent: " + mosquitto_strerror(code);
    shared_.outbox.refused(parcel);
  }
  return true;
}

// States that the broker keeps are listened to for as long as any monitor takes to send one anew:
// one with the same prefix is not wronged, nor is this one while it is slow to begin. A broker that
// forbids it changes nothing.
void MqttConnection::lookForOldSources() {
  if (heardUntil_ == SteadyClock::time_point{} || SteadyClock::now() < heardUntil_) return;
  const auto filters = shared_.outbox.takeBackStates();
  heardUntil_ = filters ? SteadyClock::time_point{} : SteadyClock::now() + kListen;
  if (!filters) return;
  mosquitto_unsubscribe(client_.get(), nullptr, (shared_.options.prefix + kStates).c_str());
  for (const std::string& filter : *filters) {
    mosquitto_subscribe(client_.get(), nullptr, filter.c_str(), 0);
  }
}

void MqttConnection::farewell() {
  auto until = SteadyClock::now() + kLastEvents;
  while (shared_.outbox.untoldEvents() > 0 && SteadyClock::now() < until) {
    handOver();
    if (step(20) != MOSQ_ERR_SUCCESS) return;
  }
  const std::string topic = shared_.options.prefix + kStatus;
  if (mosquitto_publish(client_.get(), &farewellId_, topic.c_str(),
                        static_cast<int>(kOffline.size()), kOffline.data(), 1,
                        true) != MOSQ_ERR_SUCCESS) {
    return;
  }
  until = SteadyClock::now() + kLastWord;
  while (!farewellDone_ && SteadyClock::now() < until) {
    if (step(20) != MOSQ_ERR_SUCCESS) return;
  }
  mosquitto_disconnect(client_.get());
  if (mosquitto_want_write(client_.get())) mosquitto_loop_write(client_.get(), 1);
}

std::string MqttConnection::explain(int code, int systemError) const {
  const MqttOptions& options = shared_.options;
  std::string text = "the MQTT broker at " + options.host;
  if (options.port != 0) text += " port " + std::to_string(options.port);
  if (!refusal_.empty()) return text + " refuses the connection: " + refusal_;
  if (!excess_.empty()) return text + " sends what nobody asked for: " + excess_;
  text += isConnected_ ? " is gone: " : " cannot be reached: ";
  // What ends in the middle of a message sets no errno.
  if (code == MOSQ_ERR_ERRNO && systemError == 0) code = MOSQ_ERR_CONN_LOST;
  // libmosquitto's own words for these two are "look at errno" and "TLS".
  if ((code == MOSQ_ERR_ERRNO || code == MOSQ_ERR_SUCCESS) && systemError != 0)
    return text + std::generic_category().message(systemError);
  text += mosquitto_strerror(code);
  return logged_.empty() ? text : text + " (" + logged_ + ")";
}

void MqttConnection::onConnect(mosquitto* client, void* self, int code) {
  auto& connection = *static_cast<MqttConnection*>(self);
  if (code != 0) {
    connection.refusal_ = mosquitto_connack_string(code);
    return;
  }
  connection.isConnected_ = connection.wasAccepted_ = true;
  connection.shared_.outbox.begin();
  const std::string& prefix = connection.shared_.options.prefix;
  mosquitto_subscribe(client, nullptr, (prefix + kStatus).c_str(), 1);
  mosquitto_subscribe(client, nullptr, (prefix + kStates).c_str(), 0);
  connection.heardUntil_ = SteadyClock::now() + kListen;
  const std::lock_guard lock(connection.shared_.mutex);
  connection.shared_.status.connected = true;
  connection.shared_.status.fault.clear();
}

void MqttConnection::onPublish(mosquitto* /*client*/, void* self, int id) {
  auto& connection = *static_cast<MqttConnection*>(self);
  connection.shared_.outbox.acknowledged(id);
  if (id == connection.farewellId_) connection.farewellDone_ = true;
}

void MqttConnection::onMessage(mosquitto* /*client*/, void* self,
                               const mosquitto_message* message) {
  if (message->payloadlen <= 0) return;
  auto& connection = *static_cast<MqttConnection*>(self);
  const std::string topic = message->topic;
  if (topic == connection.shared_.options.prefix + kStatus) return connection.contradict(*message);
  connection.shared_.outbox.heard(topic, message->retain);
}

// The last will of an earlier connection whose name was another one, as that of a container that is
// made anew, comes after the "online" of this one. What the broker kept is from before that.
void MqttConnection::contradict(const mosquitto_message& message) {
  const std::string_view said(static_cast<const char*>(message.payload),
                              static_cast<std::size_t>(message.payloadlen));
  if (said == kOffline && !message.retain && !shared_.stopping) shared_.outbox.tellOnline();
}

void MqttConnection::onLog(mosquitto* /*client*/, void* self, int level, const char* text) {
  auto& connection = *static_cast<MqttConnection*>(self);
  if (level == MOSQ_LOG_ERR) connection.logged_ = text;
  // "Client mpm-1 received PUBLISH (d0, q2, ...": the message is whole, and no callback has it yet.
  const std::string_view words = text;
  if (words.find(" received ") == words.npos) return;
  connection.messageBegin_ = connection.lookAtSize();
  constexpr std::string_view kPublish = " received PUBLISH (d";
  const std::size_t begin = words.find(kPublish);
  if (begin != words.npos && words.substr(begin + kPublish.size() + 1).starts_with(", q2,"))
    connection.excess_ = "a message of quality 2";
}

}  // namespace mpm::monitor
