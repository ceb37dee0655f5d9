// SPDX-License-Identifier: Apache-2.0
// The publisher with a real broker.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "monitor/publish/broker.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kHearing{5};  // of what was sent, or never will be

Event numbered(int number) {
  Event event;
  event.kind = "rule";
  event.name = std::to_string(number);
  return event;
}

class MqttBroker : public testing::Test {
 protected:
  void SetUp() override {
    if (!Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
  }
};

bool becomesConnected(const MqttPublisher& publisher) {
  return waitUntil([&] { return publisher.status().connected; });
}

std::multiset<int> numbersOf(const std::vector<Hearer::Heard>& events) {
  std::multiset<int> numbers;
  for (const auto& event : events)
    numbers.insert(std::stoi(json::parse(event.payload)["name"].get<std::string>()));
  return numbers;
}

// A client with a last will and a name of its own.
class Willing {
 public:
  explicit Willing(const MqttOptions& options) : client_(mosquitto_new("willing", true, nullptr)) {
    mosquitto_username_pw_set(client_, options.user.c_str(), options.password.c_str());
    mosquitto_will_set(client_, "mpm/status", 7, "offline", 1, true);
    mosquitto_connect(client_, options.host.c_str(), options.port, 30);
    // Until the broker has let it in.
    int heard = 0;
    mosquitto_user_data_set(client_, &heard);
    mosquitto_connect_callback_set(client_,
                                   [](mosquitto*, void* at, int) { *static_cast<int*>(at) = 1; });
    while (heard == 0 && mosquitto_loop(client_, 1000, 1) == MOSQ_ERR_SUCCESS) {
    }
  }
  ~Willing() { die(); }
  Willing(const Willing&) = delete;
  Willing& operator=(const Willing&) = delete;
  void die() {
    if (client_ != nullptr) mosquitto_destroy(std::exchange(client_, nullptr));
  }

 private:
  mosquitto* client_;
};

TEST_F(MqttBroker, StatesEventsAndDiscoveryArrive) {
  const Broker broker;
  const Hearer hearer(broker.options());
  {
    MqttPublisher publisher(broker.options());
    publisher.publish(sampleState());
    publisher.publish("north", numbered(7));
    ASSERT_TRUE(hearer.waitFor("mpm/status", "online")) << publisher.status().fault;
    ASSERT_TRUE(hearer.waitFor("mpm/north/state", "\"dusk\""));
    ASSERT_TRUE(hearer.waitFor("mpm/north/event", "\"7\""));
    // Online, 12 configs, a state, an event: counted a moment after the broker has them.
    EXPECT_TRUE(waitUntil([&] { return publisher.status().messages == 15u; }));
    const MqttStatus status = publisher.status();
    EXPECT_TRUE(status.connected);
    EXPECT_EQ(status.fault, "");
    EXPECT_EQ(status.messages, 15u);
    EXPECT_GT(status.bytes, 4000u);
  }
  EXPECT_TRUE(hearer.waitFor("mpm/status", "offline"));
  EXPECT_EQ(hearer.heard("mpm/north/event").front().qos, 1);

  // Who comes later hears what is retained, and no event.
  MqttOptions late = broker.options();
  MqttPublisher publisher(late);
  const Hearer second(late, "#", "second");
  ASSERT_TRUE(second.waitFor("mpm/north/state", "\"figures\""));
  EXPECT_TRUE(second.heard("mpm/north/state").front().retained);
  const auto configs = [&] {
    std::set<std::string> topics;
    for (const auto& message : second.heard()) {
      if (!message.topic.starts_with("homeassistant/")) continue;
      EXPECT_EQ(json::parse(message.payload)["state_topic"], "mpm/north/state");
      topics.insert(message.topic);
    }
    return topics.size();
  };
  EXPECT_TRUE(waitUntil([&] { return configs() == 12u; })) << configs();
  EXPECT_TRUE(second.heard("mpm/north/event").empty());
}

TEST_F(MqttBroker, AKilledPublisherIsSaidToBeOffline) {
  const Broker broker;
  const MqttOptions options = broker.options();
  const Hearer hearer(options);
  ChildProcess child({MPM_MQTT_CHILD, std::to_string(options.port), options.user, options.password},
                     broker.folder() + "/child.log");
  ASSERT_TRUE(hearer.waitFor("mpm/status", "online")) << readText(broker.folder() + "/child.log");
  ASSERT_TRUE(hearer.waitFor("mpm/north/state", "north"));
  EXPECT_EQ(hearer.heard("mpm/status").size(), 1u);
  child.end(SIGKILL);
  EXPECT_TRUE(hearer.waitFor("mpm/status", "offline"));
}

// A source that was renamed would stay "fresh" at the broker for ever.
TEST_F(MqttBroker, WhatTheBrokerKeepsOfASourceWithAnotherNameIsTakenBack) {
  const Broker broker;
  const MqttOptions options = broker.options();
  {
    MqttPublisher before(options);
    PublishedState state = sampleState();
    state.sources[0].name = "old-gate";
    before.publish(state);
    const Hearer hearer(options);
    ASSERT_TRUE(hearer.waitFor("mpm/old-gate/state", "\"fresh\":true"));
    ASSERT_TRUE(hearer.waitFor("homeassistant/sensor/mpm_mpm--old-2dgate/fps/config", "{"));
  }
  const Hearer hearer(options);
  MqttPublisher publisher(options);
  EXPECT_TRUE(waitUntil([&] {
    publisher.publish(sampleState());
    const auto heard = hearer.heard("mpm/old-gate/state");
    return !heard.empty() && heard.back().payload.empty();
  }));
  // Who comes then hears all of the others, and soon nothing of it.
  std::string old;
  int times = 0;
  const auto isForgotten = [&] {
    const Hearer late(options, "#", "late" + std::to_string(++times));
    EXPECT_TRUE(late.waitFor("mpm/north/state", "\"fresh\":true"));
    EXPECT_TRUE(late.waitFor("homeassistant/sensor/mpm_mpm--north/fps/config", "{"));
    old.clear();
    for (const auto& message : late.heard()) {
      if (message.topic.find("old") != std::string::npos) old = message.topic;
    }
    return old.empty();
  };
  EXPECT_TRUE(waitUntil(isForgotten)) << old;
}

// A rule that was removed while the monitor was off would be "off" for ever.
TEST_F(MqttBroker, WhatTheBrokerKeepsOfARuleThatIsGoneIsTakenBack) {
  const Broker broker;
  const MqttOptions options = broker.options();
  const std::string rules = "homeassistant/binary_sensor/mpm_mpm--north/rule_";
  const Hearer hearer(options);
  {
    MqttPublisher before(options);
    before.publish(sampleState());
    ASSERT_TRUE(hearer.waitFor(rules + "dark/config", "{"));
  }
  PublishedState state = sampleState();
  state.sources[0].rules.pop_back();
  MqttPublisher publisher(options);
  publisher.publish(state);
  EXPECT_TRUE(waitUntil([&] {
    const auto heard = hearer.heard(rules + "dark/config");
    return heard.back().payload.empty();
  }));
  EXPECT_FALSE(hearer.heard(rules + "car-20at-20the-20gate/config").back().payload.empty());
}

// As after a power cut: the monitor is back before the broker knows that it was gone.
TEST_F(MqttBroker, AConnectionThatHungSaysNothingAfterTheNextOne) {
  const Broker broker;
  const MqttOptions options = broker.options();
  const Hearer hearer(options);
  ChildProcess hung({MPM_MQTT_CHILD, std::to_string(options.port), options.user, options.password},
                    broker.folder() + "/child.log");
  ASSERT_TRUE(hearer.waitFor("mpm/status", "online")) << readText(broker.folder() + "/child.log");
  hung.tell(SIGSTOP);
  MqttPublisher next(options);
  ASSERT_TRUE(becomesConnected(next)) << next.status().fault;
  hung.end(SIGKILL);
  // The broker has seen the end of the old connection, and what it made of it is heard before 8.
  ASSERT_TRUE(waitUntil([&] {
    const std::string log = broker.log();
    return log.find("closing old connection") != std::string::npos ||
           log.find("closed its connection") != std::string::npos;
  })) << broker.log();
  next.publish("north", numbered(8));
  ASSERT_TRUE(hearer.waitFor("mpm/north/event", "\"8\""));
  EXPECT_EQ(hearer.heard("mpm/status").back().payload, "online");
  EXPECT_TRUE(next.status().connected);
}

// As of a container that is made anew: the connection before had another name.
TEST_F(MqttBroker, AnEarlierOnesLastWillIsContradicted) {
  const Broker broker;
  const MqttOptions options = broker.options();
  const Hearer hearer(options);
  {
    MqttPublisher publisher(options);
    ASSERT_TRUE(hearer.waitFor("mpm/status", "online")) << publisher.status().fault;
    // The publisher hears its own status once what was published behind is told.
    publisher.publish(sampleState());
    ASSERT_TRUE(hearer.waitFor("mpm/north/state", "north"));
    Willing earlier(options);
    earlier.die();
    ASSERT_TRUE(hearer.waitFor("mpm/status", "offline"));
    EXPECT_TRUE(waitUntil([&] { return hearer.heard("mpm/status").back().payload == "online"; }));
  }
  const Hearer late(options, "mpm/status", "late");
  ASSERT_TRUE(late.waitFor("mpm/status", "offline")) << "its own end is not contradicted";
}

TEST_F(MqttBroker, NothingKeptIsLostWhileTheBrokerIsAway) {
  Broker broker;
  const Hearer hearer(broker.options(), "mpm/+/event");
  MqttPublisher publisher(broker.options());
  for (int i = 0; i < 100; ++i) publisher.publish("north", numbered(i));
  ASSERT_TRUE(hearer.waitFor("mpm/north/event", "\"99\""));
  // In the middle of sending, and while it is away.
  for (int i = 100; i < 200; ++i) publisher.publish("north", numbered(i));
  broker.stop();
  ASSERT_TRUE(waitUntil([&] { return !publisher.status().connected; }));
  EXPECT_NE(publisher.status().fault, "");
  for (int i = 200; i < 300; ++i) publisher.publish("north", numbered(i));
  publisher.publish(sampleState());
  broker.start();
  ASSERT_TRUE(becomesConnected(publisher)) << publisher.status().fault;
  EXPECT_EQ(publisher.status().fault, "");
  ASSERT_TRUE(hearer.waitFor("mpm/north/event", "\"299\""));
  std::set<int> seen;
  for (const int number : numbersOf(hearer.heard("mpm/north/event"))) seen.insert(number);
  EXPECT_EQ(seen.size(), 300u);
  EXPECT_EQ(publisher.status().lost, 0u);

  // A broker that forgot everything is told what is retained again.
  const Hearer late(broker.options(), "#", "late");
  EXPECT_TRUE(late.waitFor("mpm/status", "online"));
  EXPECT_TRUE(late.waitFor("mpm/north/state", "figures"));
}

// For less than half a second, which a busy machine may need for itself.
TEST_F(MqttBroker, WhatIsQueuedGoesOutBeforeTheEnd) {
  const Broker broker;
  const Hearer hearer(broker.options(), "mpm/+/event");
  const auto isHeard = [&](int number) {
    return waitUntil([&] { return numbersOf(hearer.heard()).contains(number); }, kHearing);
  };
  bool isWhole = false;
  for (int attempt = 0; attempt < 20 && !isWhole; ++attempt) {
    const int first = 50 * attempt;
    {
      MqttPublisher publisher(broker.options());
      ASSERT_TRUE(becomesConnected(publisher));
      for (int i = first; i < first + 50; ++i) publisher.publish("north", numbered(i));
    }
    isWhole = isHeard(first + 49);
  }
  EXPECT_TRUE(isWhole);
}

TEST_F(MqttBroker, AWrongPasswordIsAFaultWithoutIt) {
  const Broker broker;
  MqttOptions options = broker.options();
  options.password = "wr0ng-s3cret";
  MqttPublisher publisher(options);
  publisher.publish("north", numbered(1));
  // A try that takes long on a busy machine ends with another fault.
  EXPECT_TRUE(waitUntil([&] {
    return publisher.status().fault.find("refuses") != std::string::npos;
  })) << publisher.status().fault;
  const MqttStatus status = publisher.status();
  EXPECT_FALSE(status.connected);
  EXPECT_NE(status.fault.find("uthori"), std::string::npos) << status.fault;
  EXPECT_EQ(status.fault.find("wr0ng"), std::string::npos) << status.fault;
  EXPECT_EQ(broker.log().find("wr0ng"), std::string::npos);
}

class MqttTls : public MqttBroker {
 protected:
  void SetUp() override {
    MqttBroker::SetUp();
    if (findProgram("openssl").empty()) GTEST_SKIP() << "openssl is not installed";
  }
};

TEST_F(MqttTls, ABrokerWithACertificateOfTheGivenAuthorityIsTrusted) {
  const Broker broker(true);
  const Hearer hearer(broker.options());
  MqttPublisher publisher(broker.options());
  publisher.publish(sampleState());
  publisher.publish("north", numbered(1));
  EXPECT_TRUE(hearer.waitFor("mpm/north/state", "figures")) << publisher.status().fault;
  EXPECT_TRUE(hearer.waitFor("mpm/north/event", "\"1\""));
}

TEST_F(MqttTls, ACertificateOfAnUnknownAuthorityIsNot) {
  const Broker broker(true);
  MqttOptions options = broker.options();
  options.caFile.clear();  // the system's authorities
  MqttPublisher publisher(options);
  EXPECT_TRUE(waitUntil([&] {
    return publisher.status().fault.find("certificate") != std::string::npos;
  })) << publisher.status().fault;
  EXPECT_FALSE(publisher.status().connected);
}

TEST_F(MqttTls, TheSystemsAuthoritiesAreTrusted) {
  const Broker broker(true);
  MqttOptions options = broker.options();
  setenv("SSL_CERT_FILE", options.caFile.c_str(), 1);
  options.caFile.clear();
  MqttPublisher publisher(options);
  EXPECT_TRUE(becomesConnected(publisher)) << publisher.status().fault;
  unsetenv("SSL_CERT_FILE");
}

TEST_F(MqttTls, ACertificateOfAnotherHostIsNotTrusted) {
  const Broker broker(true);  // for localhost
  MqttOptions options = broker.options();
  options.host = "127.0.0.1";
  MqttPublisher publisher(options);
  ASSERT_TRUE(waitUntil([&] { return !publisher.status().fault.empty(); }));
  EXPECT_FALSE(publisher.status().connected);
}

TEST_F(MqttTls, PlainTextToATlsBrokerIsAFault) {
  const Broker broker(true);
  MqttOptions options = broker.options();
  options.tls = false;
  options.caFile.clear();
  MqttPublisher publisher(options);
  EXPECT_TRUE(waitUntil([&] { return !publisher.status().fault.empty(); }));
  EXPECT_FALSE(publisher.status().connected);
}

}  // namespace
}  // namespace mpm::monitor
