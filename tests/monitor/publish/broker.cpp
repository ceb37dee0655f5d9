// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/broker.h"

#include <signal.h>

#include <stdexcept>

namespace mpm::monitor {
namespace {

const std::string kUser = "gate", kPassword = "s3cret%pass";

void require(const std::vector<std::string>& command, const std::string& log) {
  if (runProgram(command, log) != 0)
    throw std::runtime_error(command[0] + ' ' + command[1] + ": " + readText(log));
}

}  // namespace

bool Broker::isInstalled() {
  return !findProgram("mosquitto").empty() && !findProgram("mosquitto_passwd").empty();
}

Broker::Broker(bool tls) : tls_(tls) {
  require({findProgram("mosquitto_passwd"), "-b", "-c", folder_ / "passwords", kUser, kPassword},
          folder_ / "passwd.log");
  if (tls_) makeCertificates();
  configure();
  start();
}

void Broker::configure() {
  std::string text = "user root\n";  // where it is started by root; it would leave its folder else
  text += "listener " + std::to_string(port_.port()) + " 127.0.0.1\n";
  text += "allow_anonymous false\npassword_file " + folder_ / "passwords" + "\n";
  text += "persistence true\npersistence_location " + folder_.path() + "/\nlog_type all\n";
  text += "max_queued_messages 0\n";  // no limit, for a hearer that comes back after the publisher
  if (tls_) {
    text += "cafile " + folder_ / "ca.crt" + "\ncertfile " + folder_ / "server.crt" + "\nkeyfile " +
            folder_ / "server.key" + "\n";
  }
  writeText(folder_ / "mosquitto.conf", text);
}

void Broker::makeCertificates() {
  const std::string openssl = findProgram("openssl"), log = folder_ / "openssl.log";
  require({openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
           "-nodes", "-days", "2", "-subj", "/CN=mpm test CA", "-keyout", folder_ / "ca.key",
           "-out", folder_ / "ca.crt"},
          log);
  require(
      {openssl, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
       "-subj", "/CN=localhost", "-keyout", folder_ / "server.key", "-out", folder_ / "server.csr"},
      log);
  writeText(folder_ / "names", "subjectAltName=DNS:localhost\n");
  require({openssl, "x509", "-req", "-days", "2", "-in", folder_ / "server.csr", "-CA",
           folder_ / "ca.crt", "-CAkey", folder_ / "ca.key", "-CAcreateserial", "-extfile",
           folder_ / "names", "-out", folder_ / "server.crt"},
          log);
}

void Broker::start() {
  const std::string log = folder_ / "mosquitto.log";
  process_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{findProgram("mosquitto"), "-c", folder_ / "mosquitto.conf"}, log);
  waitUntil([&] { return isListening(port_.port()) || !process_->isRunning(); });
  if (!process_->isRunning() || !isListening(port_.port()))
    throw std::runtime_error("mosquitto does not run: " + readText(log));
}

void Broker::stop() { process_->end(SIGTERM); }

MqttOptions Broker::options() const {
  MqttOptions options;
  options.host = tls_ ? "localhost" : "127.0.0.1";
  options.port = port_.port();
  options.user = kUser;
  options.password = kPassword;
  options.tls = tls_;
  if (tls_) options.caFile = folder_ / "ca.crt";
  return options;
}

Hearer::Hearer(const MqttOptions& options, const std::string& topics, const std::string& name)
    : topics_(topics) {
  mosquitto_lib_init();
  client_.reset(mosquitto_new(name.c_str(), false, this));
  mosquitto_username_pw_set(client_.get(), options.user.c_str(), options.password.c_str());
  if (options.tls)
    mosquitto_tls_set(client_.get(), options.caFile.c_str(), nullptr, nullptr, nullptr, nullptr);
  mosquitto_reconnect_delay_set(client_.get(), 1, 1, false);
  mosquitto_connect_callback_set(client_.get(), [](mosquitto* client, void* self, int code) {
    const std::string& wanted = static_cast<Hearer*>(self)->topics_;
    if (code == 0) mosquitto_subscribe(client, nullptr, wanted.c_str(), 1);
  });
  mosquitto_subscribe_callback_set(client_.get(), [](mosquitto*, void* self, int, int, const int*) {
    const std::lock_guard lock(static_cast<Hearer*>(self)->mutex_);
    static_cast<Hearer*>(self)->isSubscribed_ = true;
  });
  mosquitto_message_callback_set(client_.get(),
                                 [](mosquitto*, void* self, const mosquitto_message* message) {
                                   const std::lock_guard lock(static_cast<Hearer*>(self)->mutex_);
                                   static_cast<Hearer*>(self)->heard_.push_back(
                                       {message->topic,
                                        std::string(static_cast<const char*>(message->payload),
                                                    static_cast<std::size_t>(message->payloadlen)),
                                        message->retain, message->qos});
                                 });
  mosquitto_connect(client_.get(), options.host.c_str(), options.port, 30);
  mosquitto_loop_start(client_.get());
  const auto isSubscribed = [&] {
    const std::lock_guard lock(mutex_);
    return isSubscribed_;
  };
  if (!waitUntil(isSubscribed)) throw std::runtime_error("the broker lets nobody listen");
}

Hearer::~Hearer() {
  mosquitto_disconnect(client_.get());
  mosquitto_loop_stop(client_.get(), true);
}

std::vector<Hearer::Heard> Hearer::heard(const std::string& topic) const {
  const std::lock_guard lock(mutex_);
  std::vector<Heard> of;
  for (const Heard& message : heard_) {
    if (topic.empty() || message.topic == topic) of.push_back(message);
  }
  return of;
}

void Hearer::say(const std::string& topic, const std::string& payload) {
  mosquitto_publish(client_.get(), nullptr, topic.c_str(), static_cast<int>(payload.size()),
                    payload.data(), 1, true);
}

bool Hearer::waitFor(const std::string& topic, const std::string& payloadPart) const {
  return waitUntil([&] {
    for (const Heard& message : heard(topic)) {
      if (message.payload.find(payloadPart) != std::string::npos) return true;
    }
    return false;
  });
}

}  // namespace mpm::monitor
