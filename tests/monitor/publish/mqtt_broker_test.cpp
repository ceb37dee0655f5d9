// SPDX-License-Identifier: Apache-2.0
// The publisher with a real broker, or with what stands in its place.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "monitor/engine/resident.h"
#include "monitor/publish/broker.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/sample_state.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

Event numbered(int number) {
  Event event;
  event.kind = "rule";
  event.name = std::to_string(number);
  return event;
}

std::set<int> numbersOf(const Hearer& hearer) {
  std::set<int> numbers;
  for (const auto& event : hearer.heard("mpm/north/event"))
    numbers.insert(std::stoi(json::parse(event.payload)["name"].get<std::string>()));
  return numbers;
}

std::set<int> range(int begin, int end) {
  std::set<int> numbers;
  for (int i = begin; i < end; ++i) numbers.insert(numbers.end(), i);
  return numbers;
}

bool becomesConnected(const MqttPublisher& publisher) {
  return waitUntil([&] { return publisher.status().connected; });
}

class MqttBroker : public testing::Test {
 protected:
  void SetUp() override {
    if (!Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
    if (findProgram("openssl").empty()) GTEST_SKIP() << "openssl is not installed";
  }
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
    ASSERT_TRUE(waitUntil([&] { return publisher.status().waiting == 0; }));
    const MqttStatus status = publisher.status();
    EXPECT_TRUE(status.connected);
    EXPECT_EQ(status.fault, "");
    EXPECT_EQ(status.messages, 15u);  // online, 12 configs, a state, an event
    EXPECT_GT(status.bytes, 4000u);
  }
  EXPECT_TRUE(hearer.waitFor("mpm/status", "offline"));
  EXPECT_EQ(hearer.heard("mpm/north/event").front().qos, 1);

  // Who comes later hears what is retained, and no event.
  const Hearer late(broker.options(), "#", "late");
  ASSERT_TRUE(late.waitFor("mpm/north/state", "\"figures\""));
  const auto configs = [&] {
    std::set<std::string> topics;
    for (const auto& message : late.heard()) {
      if (!message.topic.starts_with("homeassistant/")) continue;
      EXPECT_EQ(json::parse(message.payload)["state_topic"], "mpm/north/state");
      topics.insert(message.topic);
    }
    return topics.size();
  };
  EXPECT_TRUE(waitUntil([&] { return configs() == 12u; })) << configs();
  EXPECT_TRUE(late.heard("mpm/north/event").empty());
}

TEST_F(MqttBroker, HomeAssistantIsToldOfWhatChanges) {
  const Broker broker;
  const Hearer hearer(broker.options());
  const std::string rule = "homeassistant/binary_sensor/mpm_mpm--north/rule_";
  PublishedState state = sampleState();
  MqttPublisher publisher(broker.options());
  publisher.publish(state);
  ASSERT_TRUE(hearer.waitFor(rule + "dark/config", "{"));
  state.sources[0].rules = {{"new"}, {"untold", true, false}};
  publisher.publish(state);
  ASSERT_TRUE(hearer.waitFor(rule + "new/config", "{"));
  EXPECT_TRUE(waitUntil([&] { return hearer.heard(rule + "dark/config").back().payload.empty(); }));
  EXPECT_TRUE(hearer.heard(rule + "untold/config").empty());
  EXPECT_EQ(hearer.heard("homeassistant/sensor/mpm_mpm--north/fps/config").size(), 1u);
}

TEST_F(MqttBroker, AKilledPublisherIsSaidToBeOffline) {
  const Broker broker;
  const MqttOptions options = broker.options();
  const Hearer hearer(options);
  ChildProcess child({MPM_MQTT_CHILD, std::to_string(options.port), options.user, options.password},
                     broker.folder() + "/child.log");
  ASSERT_TRUE(hearer.waitFor("mpm/status", "online")) << readText(broker.folder() + "/child.log");
  child.end(SIGKILL);
  EXPECT_TRUE(hearer.waitFor("mpm/status", "offline"));
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

// As the last will of a container that was made anew, and had another name before.
TEST_F(MqttBroker, AStatusThatIsNotTrueIsToldAgain) {
  const Broker broker;
  MqttOptions options = broker.options();
  options.sayOnlineMs = 10;
  Hearer hearer(options);
  MqttPublisher publisher(options);
  ASSERT_TRUE(hearer.waitFor("mpm/status", "online")) << publisher.status().fault;
  hearer.say("mpm/status", "offline");
  ASSERT_TRUE(hearer.waitFor("mpm/status", "offline"));
  EXPECT_TRUE(waitUntil([&] {
    publisher.publish(sampleState());
    return hearer.heard("mpm/status").back().payload == "online";
  }));
}

// A source that was renamed would stay "fresh" at the broker for ever, a rule that is gone "off".
TEST_F(MqttBroker, WhatTheBrokerKeepsOfOtherNamesIsTakenBack) {
  const Broker broker;
  const Hearer hearer(broker.options());
  const std::string state = "mpm/old-gate/state",
                    entity = "homeassistant/sensor/mpm_mpm--old-2dgate/fps/config",
                    rule = "homeassistant/binary_sensor/mpm_mpm--north/rule_dark/config",
                    stays = "homeassistant/sensor/mpm_mpm--north/fps/config";
  PublishedState before = sampleState();
  before.sources.push_back(sampleSource("old-gate"));
  {
    MqttPublisher publisher(broker.options());
    publisher.publish(before);
    for (const std::string& topic : {state, entity, rule, stays})
      ASSERT_TRUE(hearer.waitFor(topic, "{")) << topic;
  }
  PublishedState after = sampleState();
  after.sources[0].rules.pop_back();
  MqttPublisher publisher(broker.options());
  for (const std::string& topic : {state, entity, rule}) {
    EXPECT_TRUE(waitUntil([&] {
      publisher.publish(after);
      return hearer.heard(topic).back().payload.empty();
    })) << topic;
  }
  EXPECT_FALSE(hearer.heard(stays).back().payload.empty());
}

// Ten minutes of four restless cameras, as fast as they can be told.
TEST_F(MqttBroker, OfAnOutageTheLastStatesAndEventsAreLeft) {
  constexpr int kSeconds = 600, kEventsASecond = 10;
  Broker broker;
  MqttOptions options = broker.options();
  options.firstWaitMs = 1;
  options.longestWaitMs = 30;
  const Hearer hearer(options, "mpm/#");
  MqttPublisher publisher(options);
  PublishedState state = sampleState();
  for (const char* name : {"south", "east", "west"}) state.sources.push_back(sampleSource(name));
  int events = 0;
  const auto tell = [&](int seconds) {
    for (int second = 0; second < seconds; ++second) {
      for (PublishedSource& source : state.sources) ++source.frames;
      publisher.publish(state);
      for (int i = 0; i < kEventsASecond; ++i) publisher.publish("north", numbered(events++));
    }
  };
  tell(1);
  ASSERT_TRUE(waitUntil([&] { return numbersOf(hearer).size() == kEventsASecond; }));
  tell(1);  // in the middle of sending
  broker.stop();
  ASSERT_TRUE(waitUntil([&] { return !publisher.status().connected; }));
  EXPECT_NE(publisher.status().fault, "");
  tell(kSeconds / 4);
  const double warmMb = test::residentMb();
  tell(kSeconds - kSeconds / 4);
  EXPECT_LT(test::residentMb() - warmMb, 1);  // states alone would be 2 MB more, events as much
  EXPECT_EQ(publisher.status().waiting, options.mostWaiting);
  const std::uint64_t lost = publisher.status().lost;
  EXPECT_GE(lost, kSeconds * kEventsASecond - options.mostWaiting);

  broker.start();
  ASSERT_TRUE(waitUntil([&] { return publisher.status().waiting == 0; }))
      << publisher.status().fault;
  EXPECT_EQ(publisher.status().lost, lost);
  EXPECT_EQ(publisher.status().fault, "");
  ASSERT_TRUE(waitUntil([&] { return numbersOf(hearer).contains(events - 1); }));
  std::set<int> heard = numbersOf(hearer);
  heard.erase(heard.begin(), heard.lower_bound(2 * kEventsASecond));
  EXPECT_EQ(heard, range(events - static_cast<int>(options.mostWaiting), events));
  const std::string last = "\"frames\":" + std::to_string(state.sources[0].frames) + ",";
  for (const PublishedSource& source : state.sources) {
    const std::string topic = "mpm/" + source.name + "/state";
    EXPECT_TRUE(hearer.waitFor(topic, last)) << topic;
    EXPECT_LE(hearer.heard(topic).size(), 4u) << topic;
  }
  // A broker that forgot everything is told what is retained again.
  const Hearer late(options, "#", "late");
  EXPECT_TRUE(late.waitFor("mpm/status", "online"));
  EXPECT_TRUE(late.waitFor("homeassistant/sensor/mpm_mpm--north/fps/config", "{"));
}

// For less than half a second, which a busy machine may need for itself.
TEST_F(MqttBroker, WhatIsQueuedGoesOutBeforeTheEnd) {
  const Broker broker;
  const Hearer hearer(broker.options(), "mpm/+/event");
  bool isWhole = false;
  for (int first = 0; first < 1000 && !isWhole; first += 50) {
    {
      MqttPublisher publisher(broker.options());
      ASSERT_TRUE(becomesConnected(publisher));
      for (int i = first; i < first + 50; ++i) publisher.publish("north", numbered(i));
    }
    isWhole =
        waitUntil([&] { return numbersOf(hearer).contains(first + 49); }, std::chrono::seconds(5));
  }
  EXPECT_TRUE(isWhole);
}

TEST_F(MqttBroker, ACertificateOfAnAuthorityThatIsTrustedIsTrusted) {
  const Broker broker(true);
  const Hearer hearer(broker.options());
  {
    MqttPublisher publisher(broker.options());
    publisher.publish(sampleState());
    EXPECT_TRUE(hearer.waitFor("mpm/north/state", "figures")) << publisher.status().fault;
  }
  MqttOptions options = broker.options();
  setenv("SSL_CERT_FILE", options.caFile.c_str(), 1);
  options.caFile.clear();  // the system's authorities
  const MqttPublisher publisher(options);
  EXPECT_TRUE(becomesConnected(publisher)) << publisher.status().fault;
  unsetenv("SSL_CERT_FILE");
}

TEST_F(MqttBroker, WhyThereIsNoConnectionIsSaidWithoutThePassword) {
  const Broker plain, tls(true);
  const HeldPort nobody;
  const SilentServer silent;
  // Seen: "cannot be reached: Success".
  const test::TinyServer web("HTTP/1.1 400 Bad Request\r\n\r\n", true);
  const auto at = [](int port) {
    MqttOptions options;
    options.host = "127.0.0.1";
    options.port = port;
    options.user = "gate";
    options.password = "wr0ng-s3cret";
    return options;
  };
  MqttOptions unknown = tls.options(), other = tls.options(), name = at(nobody.port());
  unknown.caFile.clear();
  other.host = "127.0.0.1";  // its certificate is for localhost
  name.host = "no-such-host.invalid";
  const struct {
    MqttOptions options;
    const char* said;
  } cases[] = {{at(nobody.port()), "cannot be reached: Connection refused"},
               {at(plain.options().port), "uthori"},
               {at(web.port()), "cannot be reached: The connection was lost"},
               {at(silent.port()), "timed out"},
               {at(tls.options().port), "cannot be reached"},
               {unknown, "certificate"},
               {other, "certificate"},
               {name, "no-such-host.invalid"}};
  for (const auto& each : cases) {
    const MqttPublisher publisher(each.options);
    // A try that takes long on a busy machine ends with another fault.
    EXPECT_TRUE(waitUntil([&] {
      return publisher.status().fault.find(each.said) != std::string::npos;
    })) << each.said
        << ": " << publisher.status().fault;
    const MqttStatus status = publisher.status();
    EXPECT_FALSE(status.connected);
    EXPECT_EQ(status.fault.find(each.options.password), std::string::npos);
  }
}

TEST(MqttPublisher, EndsAtOnceWhateverTheServerDoes) {
  const SilentServer silent;
  const HeldPort nobody;
  for (const int port : {silent.port(), nobody.port()}) {
    MqttOptions options;
    options.host = "127.0.0.1";
    options.port = port;
    const auto since = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
      MqttPublisher publisher(options);
      publisher.publish(sampleState());
      publisher.publish("north", numbered(i));
    }
    // A keep-alive is 30 seconds.
    EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(30));
  }
}

MqttOptions optionsOf(const SilentServer& server) {
  MqttOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  return options;
}

// Stands for a broker, with one client, that acknowledges when it is asked to.
class OwnBroker {
 public:
  explicit OwnBroker(const SilentServer& server) : client_(server) {
    waitUntil([&] { return client_.hasBytes(50); });  // it asks to be let in
  }

  void letIn() { client_.send({"\x20\x02\0\0", 4}); }
  bool ends(int patienceMs) { return client_.receiveAll(patienceMs), client_.isOver(); }

  // What it sent by now at quality 1, which is acknowledged.
  std::vector<std::string> acknowledge() {
    std::vector<std::string> payloads;
    received_ += client_.receiveAll(50);
    for (;;) {
      std::size_t at = 1, size = 0;
      for (int shift = 0; at < received_.size() && shift < 28; shift += 7) {
        size |= static_cast<std::size_t>(received_[at] & 0x7F) << shift;
        if ((received_[at++] & 0x80) == 0) break;
      }
      if (received_.size() < std::max<std::size_t>(at + size, 2)) return payloads;
      const std::string packet = received_.substr(at, size);
      if ((received_[0] & 0xF6) == 0x32) {
        const auto topic = static_cast<std::size_t>(packet[0] << 8 | (packet[1] & 0xFF));
        payloads.push_back(packet.substr(topic + 4));
        client_.send("\x40\x02" + packet.substr(topic + 2, 2));
      }
      received_.erase(0, at + size);
    }
  }

 private:
  RawSocket client_;
  std::string received_;
};

// The library's own queue has no end.
TEST(MqttPublisher, OfManyEventsTheOldestFewAreAtABrokerThatAcknowledgesNothing) {
  const SilentServer server;
  MqttOptions options = optionsOf(server);
  options.mostWaiting = 100;
  MqttPublisher publisher(options);
  OwnBroker broker(server);
  broker.letIn();
  ASSERT_TRUE(becomesConnected(publisher));
  for (int i = 0; i < 150; ++i) publisher.publish("north", numbered(i));
  EXPECT_EQ(publisher.status().waiting, 100u);
  EXPECT_EQ(publisher.status().lost, 50u);
  EXPECT_EQ(publisher.status().messages, 21u);  // online, and these

  std::set<int> numbers;
  EXPECT_TRUE(waitUntil([&] {
    for (const std::string& payload : broker.acknowledge())
      if (payload != "online")
        numbers.insert(std::stoi(json::parse(payload)["name"].get<std::string>()));
    return publisher.status().waiting == 0;
  }));
  std::set<int> expected = range(0, 20);
  expected.merge(range(70, 150));
  EXPECT_EQ(numbers, expected);
  EXPECT_EQ(publisher.status().lost, 50u);
}

// It would be said to be online for as long as this process lives.
TEST(MqttPublisher, WhatIsLetInWhileItEndsLeaves) {
  const SilentServer server;
  auto publisher = std::make_unique<MqttPublisher>(optionsOf(server));
  OwnBroker broker(server);
  std::thread end([&] { publisher.reset(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  broker.letIn();
  EXPECT_TRUE(broker.ends(25000));  // before a keep-alive does it
  end.join();
}

TEST(MqttPublisher, WhatCannotBeIsRefusedAtOnce) {
  EXPECT_THROW(MqttPublisher{MqttOptions{}}, std::invalid_argument);
  MqttOptions options;
  options.host = "broker";
  options.tls = true;
  options.caFile = "/no/such/file.crt";
  try {
    const MqttPublisher publisher(options);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/file.crt"), std::string::npos);
  }
}

}  // namespace
}  // namespace mpm::monitor
