// SPDX-License-Identifier: Apache-2.0
// Ten minutes without a broker, in a second or two: of a publisher nothing depends on time but the
// waits between two tries, and those are a thousandth here. What it is told and how often it tries
// is what ten minutes bring.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "monitor/engine/resident.h"
#include "monitor/publish/broker.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

constexpr int kSeconds = 600, kEventsASecond = 10;
constexpr int kTries = 23;  // after 1, 2, 4, 8, 16, 30, 30, ... seconds, each a tenth longer

/// Tells a publisher what four restless cameras bring, second by second.
class Cameras {
 public:
  explicit Cameras(MqttPublisher& publisher) : publisher_(publisher) {
    state_ = sampleState();
    state_.sources.clear();
    for (const char* name : {"north", "south", "east", "west"})
      state_.sources.push_back(sampleSource(name));
  }

  void tell(int seconds) {
    for (int second = 0; second < seconds; ++second) {
      for (PublishedSource& source : state_.sources) source.frames = ++frames_;
      publisher_.publish(state_);
      for (int i = 0; i < kEventsASecond; ++i) {
        Event event;
        event.kind = "rule";
        event.name = std::to_string(++events_);
        publisher_.publish("north", event);
      }
    }
  }

  std::uint64_t frames() const { return frames_; }  // of the last source
  int events() const { return events_; }

 private:
  MqttPublisher& publisher_;
  PublishedState state_;
  std::uint64_t frames_ = 0;
  int events_ = 0;
};

std::set<int> eventsIn(const Hearer& hearer) {
  std::set<int> events;
  for (const auto& heard : hearer.heard("mpm/north/event"))
    events.insert(std::stoi(json::parse(heard.payload)["name"].get<std::string>()));
  return events;
}

TEST(MqttOutage, OfTenMinutesLeavesTheLastStatesAndAThousandEvents) {
  if (!Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
  Broker broker;
  MqttOptions options = broker.options();
  options.firstWaitMs = 1;
  options.longestWaitMs = 30;
  const Hearer hearer(options, "mpm/#");
  MqttPublisher publisher(options);
  Cameras cameras(publisher);
  cameras.tell(1);
  ASSERT_TRUE(waitUntil([&] { return eventsIn(hearer).size() == kEventsASecond; }));
  ASSERT_TRUE(waitUntil([&] { return publisher.status().waiting == 0; }));
  const std::uint64_t framesBefore = cameras.frames();
  broker.stop();
  ASSERT_TRUE(waitUntil([&] { return !publisher.status().connected; }));
  const MqttStatus before = publisher.status();

  cameras.tell(kSeconds / 4);
  EXPECT_TRUE(waitUntil([&] { return publisher.status().tries >= before.tries + kTries / 4; }));
  const double warmMb = test::residentMb();
  cameras.tell(kSeconds - kSeconds / 4);
  EXPECT_TRUE(waitUntil([&] { return publisher.status().tries >= before.tries + kTries; }));
  // States alone would be 2 MB more, events as much.
  EXPECT_LT(test::residentMb() - warmMb, 1);
  const MqttStatus away = publisher.status();
  const auto lost = static_cast<std::uint64_t>(kSeconds * kEventsASecond) - options.mostWaiting;
  EXPECT_FALSE(away.connected);
  EXPECT_NE(away.fault, "");
  EXPECT_EQ(away.fault.find(options.password), std::string::npos);
  EXPECT_EQ(away.waiting, options.mostWaiting);
  EXPECT_EQ(away.lost, lost);
  EXPECT_EQ(away.messages, before.messages);

  broker.start();
  ASSERT_TRUE(waitUntil([&] { return eventsIn(hearer).count(cameras.events()) == 1; }))
      << publisher.status().fault;
  ASSERT_TRUE(waitUntil([&] { return publisher.status().waiting == 0; }));
  std::set<int> expected;
  for (int i = 1; i <= kEventsASecond; ++i) expected.insert(i);
  const int first = cameras.events() - static_cast<int>(options.mostWaiting);
  for (int i = first + 1; i <= cameras.events(); ++i) expected.insert(i);
  EXPECT_TRUE(waitUntil([&] { return eventsIn(hearer) == expected; }));
  EXPECT_EQ(publisher.status().lost, lost);
  EXPECT_EQ(publisher.status().fault, "");
  // Each camera's last state, and none of those between.
  const std::string last = "\"frames\":" + std::to_string(cameras.frames());
  EXPECT_TRUE(hearer.waitFor("mpm/west/state", last));
  for (const char* name : {"north", "south", "east", "west"}) {
    for (const auto& heard : hearer.heard("mpm/" + std::string(name) + "/state")) {
      const auto frames = json::parse(heard.payload)["frames"].get<std::uint64_t>();
      EXPECT_TRUE(frames <= framesBefore || frames > cameras.frames() - 4) << frames;
    }
  }
}

}  // namespace
}  // namespace mpm::monitor
