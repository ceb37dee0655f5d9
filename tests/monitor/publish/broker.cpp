// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/broker.h"

#include <signal.h>

#include <stdexcept>

#include "monitor/says.h"

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
  const std::string passwords = folder_.at("passwords");
  require({findProgram("mosquitto_passwd"), "-b", "-c", passwords, kUser, kPassword},
          folder_.at("passwd.log"));
  // As root where it is started by root: it would leave its folder else. Messages wait without a
  // limit, for a hearer that comes back after the publisher.
  std::string text = "user root\nlistener " + std::to_string(port_.port()) +
                     " 127.0.0.1\nallow_anonymous false\npassword_file " + passwords +
                     "\npersistence true\npersistence_location " + folder_.at("") +
                     "\nlog_type all\nmax_queued_messages 0\n";
  if (tls_) {
    makeCertificates();
    text += "cafile " + folder_.at("ca.crt") + "\ncertfile " + folder_.at("server.crt") +
            "\nkeyfile " + folder_.at("server.key") + "\n";
  }
  folder_.write("mosquitto.conf", text);
  start();
}

void Broker::makeCertificates() {
  const auto openssl = [&](std::vector<std::string> words) {
    words.insert(words.begin(), findProgram("openssl"));
    require(words, folder_.at("openssl.log"));
  };
  const std::string ca = folder_.at("ca.crt"), caKey = folder_.at("ca.key"),
                    key = folder_.at("server.key"), request = folder_.at("server.csr");
  openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
           "-days", "2", "-subj", "/CN=mpm test CA", "-keyout", caKey, "-out", ca});
  openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
           "/CN=localhost", "-keyout", key, "-out", request});
  openssl({"x509", "-req", "-days", "2", "-in", request, "-CA", ca, "-CAkey", caKey,
           "-CAcreateserial", "-extfile", folder_.write("names", "subjectAltName=DNS:localhost\n"),
           "-out", folder_.at("server.crt")});
}

void Broker::start() {
  const std::string log = folder_.at("mosquitto.log");
  process_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{findProgram("mosquitto"), "-c", folder_.at("mosquitto.conf")}, log);
  test::eventually([&] { return isListening(port_.port()) || !process_->isRunning(); });
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
  if (tls_) options.caFile = folder_.at("ca.crt");
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
  mosquitto_message_callback_set(
      client_.get(), [](mosquitto*, void* self, const mosquitto_message* message) {
        const std::lock_guard lock(static_cast<Hearer*>(self)->mutex_);
        const auto* payload = static_cast<const char*>(message->payload);
        static_cast<Hearer*>(self)->heard_.push_back(
            {message->topic, {payload, payload + message->payloadlen}, message->qos});
      });
  mosquitto_connect(client_.get(), options.host.c_str(), options.port, 30);
  mosquitto_loop_start(client_.get());
  const auto isSubscribed = [&] {
    const std::lock_guard lock(mutex_);
    return isSubscribed_;
  };
  if (!test::eventually(isSubscribed)) throw std::runtime_error("the broker lets nobody listen");
}

Hearer::~Hearer() {
  mosquitto_disconnect(client_.get());
  mosquitto_loop_stop(client_.get(), false);  // cancelled, its thread could not be judged
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
  return test::eventually([&] {
    for (const Heard& message : heard(topic)) {
      if (message.payload.find(payloadPart) != std::string::npos) return true;
    }
    return false;
  });
}

}  // namespace mpm::monitor
