// SPDX-License-Identifier: Apache-2.0
// The publisher with a real broker, or with what stands in its place.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "monitor/engine/resident.h"
#include "monitor/publish/broker.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/sample_state.h"
#include "monitor/says.h"
#include "monitor/source/tiny_server.h"
#include "scoped.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

Event numbered(int number) { return {{}, "rule", std::to_string(number), "", {}}; }
int numberOf(const std::string& payload) {
  return std::stoi(json::parse(payload)["name"].get<std::string>());
}

std::set<int> range(int begin, int end) {
  std::set<int> numbers;
  for (int i = begin; i < end; ++i) numbers.insert(numbers.end(), i);
  return numbers;
}

bool becomesConnected(const MqttPublisher& publisher) {
  return test::eventually([&] { return publisher.status().connected; });
}

const std::string kHome = "homeassistant/", kNorth = "mpm_mpm--north/",
                  kFps = kHome + "sensor/" + kNorth + "fps/config",
                  kRule = kHome + "binary_sensor/" + kNorth + "rule_";

class MqttBroker : public testing::Test {
 protected:
  void SetUp() override {
    if (!Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
    if (findProgram("openssl").empty()) GTEST_SKIP() << "openssl is not installed";
    broker_.emplace();
    options_ = broker_->options();
  }
  void hear(const std::string& topics = "#") { hearer_.emplace(options_, topics); }
  // A publisher that is told so much at once.
  void publish(const PublishedState& state = sampleState()) {
    publisher_.reset();
    publisher_ = std::make_unique<MqttPublisher>(options_);
    publisher_->publish(state);
  }
  bool hears(const std::string& topic, const std::string& part) {
    return hearer_->waitFor(topic, part);
  }
  std::string last(const std::string& topic) const { return hearer_->heard(topic).back().payload; }
  std::set<int> numbers() const {
    std::set<int> numbers;
    for (const auto& event : hearer_->heard("mpm/north/event"))
      numbers.insert(numberOf(event.payload));
    return numbers;
  }
  // One in a process of its own, which has said that it is there.
  std::unique_ptr<ChildProcess> child() {
    const std::string log = broker_->folder().at("child.log");
    auto child = std::make_unique<ChildProcess>(
        std::vector<std::string>{MPM_MQTT_CHILD, std::to_string(options_.port), options_.user,
                                 options_.password},
        log);
    EXPECT_TRUE(hears("mpm/status", "online")) << readText(log);
    return child;
  }

  std::optional<Broker> broker_;
  MqttOptions options_;
  std::optional<Hearer> hearer_;
  std::unique_ptr<MqttPublisher> publisher_;
};

TEST_F(MqttBroker, StatesEventsAndDiscoveryArrive) {
  hear();
  publish();
  publisher_->publish("north", numbered(7));
  ASSERT_TRUE(hears("mpm/status", "online")) << publisher_->status().fault;
  ASSERT_TRUE(hears("mpm/north/state", "\"dusk\""));
  ASSERT_TRUE(hears("mpm/north/event", "\"7\""));
  ASSERT_TRUE(test::eventually([&] { return publisher_->status().waiting == 0; }));
  const MqttStatus status = publisher_->status();
  EXPECT_TRUE(status.connected);
  EXPECT_EQ(status.fault, "");
  EXPECT_EQ(status.messages, 15u);  // online, 12 configs, a state, an event
  EXPECT_GT(status.bytes, 4000u);
  publisher_.reset();
  EXPECT_TRUE(hears("mpm/status", "offline"));
  EXPECT_EQ(hearer_->heard("mpm/north/event").front().qos, 1);

  // Who comes later hears what is retained, and no event.
  const Hearer late(options_, "#", "late");
  ASSERT_TRUE(late.waitFor("mpm/north/state", "\"figures\""));
  const auto configs = [&] {
    std::set<std::string> topics;
    for (const auto& message : late.heard()) {
      if (!message.topic.starts_with(kHome)) continue;
      EXPECT_EQ(json::parse(message.payload)["state_topic"], "mpm/north/state");
      topics.insert(message.topic);
    }
    return topics.size();
  };
  EXPECT_TRUE(test::eventually([&] { return configs() == 12u; })) << configs();
  EXPECT_TRUE(late.heard("mpm/north/event").empty());
}

TEST_F(MqttBroker, HomeAssistantIsToldOfWhatChanges) {
  hear();
  PublishedState state = sampleState();
  publish(state);
  ASSERT_TRUE(hears(kRule + "dark/config", "{"));
  state.sources[0].rules = {{"new"}, {"untold", true, false}};
  publisher_->publish(state);
  ASSERT_TRUE(hears(kRule + "new/config", "{"));
  EXPECT_TRUE(test::eventually([&] { return last(kRule + "dark/config").empty(); }));
  EXPECT_TRUE(hearer_->heard(kRule + "untold/config").empty());
  EXPECT_EQ(hearer_->heard(kFps).size(), 1u);
}

TEST_F(MqttBroker, AKilledPublisherIsSaidToBeOffline) {
  hear();
  child()->end(SIGKILL);
  EXPECT_TRUE(hears("mpm/status", "offline"));
}

// As after a power cut: the monitor is back before the broker knows that it was gone.
TEST_F(MqttBroker, AConnectionThatHungSaysNothingAfterTheNextOne) {
  hear();
  const auto hung = child();
  hung->tell(SIGSTOP);
  MqttPublisher next(options_);
  ASSERT_TRUE(becomesConnected(next)) << next.status().fault;
  hung->end(SIGKILL);
  // The broker has seen the end of the old connection, and what it made of it is heard before 8.
  ASSERT_TRUE(test::eventually([&] {
    const std::string log = broker_->log();
    return has(log, "closing old connection") || has(log, "closed its connection");
  })) << broker_->log();
  next.publish("north", numbered(8));
  ASSERT_TRUE(hears("mpm/north/event", "\"8\""));
  EXPECT_EQ(last("mpm/status"), "online");
  EXPECT_TRUE(next.status().connected);
}

// As the last will of a container that was made anew, and had another name before.
TEST_F(MqttBroker, AStatusThatIsNotTrueIsToldAgain) {
  options_.sayOnlineMs = 10;
  hear();
  publish();
  ASSERT_TRUE(hears("mpm/status", "online")) << publisher_->status().fault;
  hearer_->say("mpm/status", "offline");
  ASSERT_TRUE(hears("mpm/status", "offline"));
  EXPECT_TRUE(test::eventually([&] {
    publisher_->publish(sampleState());
    return last("mpm/status") == "online";
  }));
}

// A source that was renamed would stay "fresh" at the broker for ever, a rule that is gone "off".
TEST_F(MqttBroker, WhatTheBrokerKeepsOfOtherNamesIsTakenBack) {
  hear();
  const std::string old = "mpm/old-gate/state",
                    entity = kHome + "sensor/mpm_mpm--old-2dgate/fps/config",
                    rule = kRule + "dark/config";
  PublishedState before = sampleState(), after = sampleState();
  before.sources.push_back(sampleSource("old-gate"));
  publish(before);
  for (const std::string& topic : {old, entity, rule, kFps}) ASSERT_TRUE(hears(topic, "{"));
  after.sources[0].rules.pop_back();
  publish(after);
  for (const std::string& topic : {old, entity, rule}) {
    EXPECT_TRUE(test::eventually([&] {
      publisher_->publish(after);
      return last(topic).empty();
    })) << topic;
  }
  EXPECT_FALSE(last(kFps).empty());
}

// Ten minutes of four restless cameras, as fast as they can be told.
TEST_F(MqttBroker, OfAnOutageTheLastStatesAndEventsAreLeft) {
  constexpr int kSeconds = 600, kEventsASecond = 10;
  options_.firstWaitMs = 1;
  options_.longestWaitMs = 30;
  hear("mpm/#");
  MqttPublisher publisher(options_);
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
  ASSERT_TRUE(test::eventually([&] { return numbers().size() == kEventsASecond; }));
  tell(1);  // in the middle of sending
  broker_->stop();
  ASSERT_TRUE(test::eventually([&] { return !publisher.status().connected; }));
  EXPECT_NE(publisher.status().fault, "");
  tell(kSeconds / 4);
  const double warmMb = test::residentMb();
  tell(kSeconds - kSeconds / 4);
  EXPECT_LT(test::residentMb() - warmMb, 1);  // states alone would be 2 MB more, events as much
  EXPECT_EQ(publisher.status().waiting, options_.mostWaiting);
  const std::uint64_t lost = publisher.status().lost;
  EXPECT_GE(lost, kSeconds * kEventsASecond - options_.mostWaiting);

  broker_->start();
  ASSERT_TRUE(test::eventually([&] { return publisher.status().waiting == 0; }))
      << publisher.status().fault;
  EXPECT_EQ(publisher.status().lost, lost);
  EXPECT_EQ(publisher.status().fault, "");
  ASSERT_TRUE(test::eventually([&] { return numbers().contains(events - 1); }));
  std::set<int> heard = numbers();
  heard.erase(heard.begin(), heard.lower_bound(2 * kEventsASecond));
  EXPECT_EQ(heard, range(events - static_cast<int>(options_.mostWaiting), events));
  const std::string newest = "\"frames\":" + std::to_string(state.sources[0].frames) + ",";
  for (const PublishedSource& source : state.sources) {
    const std::string topic = "mpm/" + source.name + "/state";
    EXPECT_TRUE(hears(topic, newest)) << topic;
    EXPECT_LE(hearer_->heard(topic).size(), 4u) << topic;
  }
  // A broker that forgot everything is told what is retained again.
  const Hearer late(options_, "#", "late");
  EXPECT_TRUE(late.waitFor("mpm/status", "online"));
  EXPECT_TRUE(late.waitFor(kFps, "{"));
}

// For less than half a second, which a busy machine may need for itself.
TEST_F(MqttBroker, WhatIsQueuedGoesOutBeforeTheEnd) {
  hear("mpm/+/event");
  bool isWhole = false;
  for (int first = 0; first < 1000 && !isWhole; first += 50) {
    {
      MqttPublisher publisher(options_);
      ASSERT_TRUE(becomesConnected(publisher));
      for (int i = first; i < first + 50; ++i) publisher.publish("north", numbered(i));
    }
    isWhole =
        test::eventually([&] { return numbers().contains(first + 49); }, std::chrono::seconds(5));
  }
  EXPECT_TRUE(isWhole);
}

// One that --mqtt-ca names is tested with mpm watch.
TEST_F(MqttBroker, ACertificateOfAnAuthorityOfTheSystemIsTrusted) {
  const Broker tls(true);
  MqttOptions options = tls.options();
  const test::ScopedVariable authorities("SSL_CERT_FILE", options.caFile);
  options.caFile.clear();
  const MqttPublisher publisher(options);
  EXPECT_TRUE(becomesConnected(publisher)) << publisher.status().fault;
}

TEST_F(MqttBroker, WhyThereIsNoConnectionIsSaidWithoutThePassword) {
  const Broker tls(true);
  const HeldPort nobody;
  const SilentServer silent;
  // Seen: "cannot be reached: Success".
  const test::TinyServer web("HTTP/1.1 400 Bad Request\r\n\r\n", true);
  const auto at = [&](int port) {
    MqttOptions options = options_;
    options.port = port;
    options.password = "wr0ng-s3cret";
    return options;
  };
  MqttOptions unknown = tls.options(), other = tls.options(), name = at(nobody.port());
  unknown.caFile.clear();
  other.host = "127.0.0.1";  // its certificate is for localhost
  name.host = "no-such-host.invalid";
  const std::pair<MqttOptions, const char*> cases[] = {
      {at(nobody.port()), "cannot be reached: Connection refused"},
      {at(options_.port), "uthori"},
      {at(web.port()), "cannot be reached: The connection was lost"},
      {at(silent.port()), "timed out"},
      {at(tls.options().port), "cannot be reached"},
      {unknown, "certificate"},
      {other, "certificate"},
      {name, "no-such-host.invalid"}};
  for (const auto& [options, said] : cases) {
    const MqttPublisher publisher(options);
    // A try that takes long on a busy machine ends with another fault.
    EXPECT_TRUE(test::eventually([&, &said = said] { return has(publisher.status().fault, said); }))
        << said << ": " << publisher.status().fault;
    EXPECT_FALSE(publisher.status().connected);
    EXPECT_FALSE(has(publisher.status().fault, options.password));
  }
}

MqttOptions optionsOf(int port) {
  MqttOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  return options;
}

TEST(MqttPublisher, EndsAtOnceWhateverTheServerDoes) {
  const SilentServer silent;
  const HeldPort nobody;
  for (const int port : {silent.port(), nobody.port()}) {
    const auto since = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
      MqttPublisher publisher(optionsOf(port));
      publisher.publish(sampleState());
      publisher.publish("north", numbered(i));
    }
    // A keep-alive is 30 seconds.
    EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(30));
  }
}

// Stands for a broker, with one client, that acknowledges when it is asked to.
class OwnBroker {
 public:
  explicit OwnBroker(const SilentServer& server) : client_(server) {
    test::eventually([&] { return client_.hasBytes(50); });  // it asks to be let in
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
  MqttOptions options = optionsOf(server.port());
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
  EXPECT_TRUE(test::eventually([&] {
    for (const std::string& payload : broker.acknowledge())
      if (payload != "online") numbers.insert(numberOf(payload));
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
  auto publisher = std::make_unique<MqttPublisher>(optionsOf(server.port()));
  OwnBroker broker(server);
  std::thread end([&] { publisher.reset(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  broker.letIn();
  EXPECT_TRUE(broker.ends(25000));  // before a keep-alive does it
  end.join();
}

TEST(MqttPublisher, WhatCannotBeIsRefusedAtOnce) {
  EXPECT_THROW(MqttPublisher{MqttOptions{}}, std::invalid_argument);
  MqttOptions options = optionsOf(0);
  options.tls = true;
  options.caFile = "/no/such/file.crt";
  EXPECT_TRUE(has(refusal([&] { const MqttPublisher publisher(options); }), "/no/such/file.crt"));
}

}  // namespace
}  // namespace mpm::monitor
