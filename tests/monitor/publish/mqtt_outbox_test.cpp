// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_outbox.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

Event numbered(int number) {
  Event event;
  event.name = std::to_string(number);
  return event;
}

std::string keyOf(const MqttOutbox::Parcel& parcel) {
  return nlohmann::json::parse(parcel.message.payload).value("name", "");
}

MqttOptions withoutDiscovery(std::size_t mostWaiting = 1000) {
  MqttOptions options;
  options.discoveryPrefix.clear();
  options.mostWaiting = mostWaiting;
  return options;
}

/// Takes everything that can go out now, as a connection does.
std::vector<MqttOutbox::Parcel> takeAll(MqttOutbox& outbox, int& id) {
  std::vector<MqttOutbox::Parcel> parcels;
  while (auto parcel = outbox.next(true)) {
    parcels.push_back(*parcel);
    outbox.handed(++id, std::move(*parcel));
  }
  return parcels;
}

TEST(MqttOutbox, AConnectionBeginsWithOnline) {
  MqttOutbox outbox(withoutDiscovery());
  outbox.put("north", numbered(1));
  outbox.begin();
  const auto first = outbox.next(true);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->message.topic, "mpm/status");
  EXPECT_EQ(first->message.payload, "online");
  EXPECT_TRUE(first->message.retain);
  EXPECT_EQ(first->message.qos, 1);
  const auto second = outbox.next(true);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->message.topic, "mpm/north/event");
  EXPECT_EQ(second->message.qos, 1);
  EXPECT_FALSE(second->message.retain);
  EXPECT_FALSE(outbox.next(true));
}

// Seen: who answered every message with "offline" got thousands a second.
TEST(MqttOutbox, ContradictsNoMoreOftenThanStatesCome) {
  MqttOutbox outbox(withoutDiscovery());
  const auto online = [&] {
    int count = 0;
    while (const auto parcel = outbox.next(true)) count += parcel->message.topic == "mpm/status";
    return count;
  };
  for (int i = 0; i < 100; ++i) outbox.tellOnline();
  EXPECT_EQ(online(), 1);
  outbox.tellOnline();
  EXPECT_EQ(online(), 0);
  outbox.put(sampleState());
  EXPECT_EQ(online(), 1);
  outbox.put(sampleState());
  EXPECT_EQ(online(), 0);
  outbox.tellOnline();
  EXPECT_EQ(online(), 1);
}

TEST(MqttOutbox, OfWhatTheBrokerKeptNoMoreIsRememberedThanIsBounded) {
  MqttOutbox outbox(withoutDiscovery());
  outbox.put(sampleState());
  for (int i = 0; i < 20000; ++i) outbox.heard("mpm/old" + std::to_string(i) + "/state", true);
  ASSERT_TRUE(outbox.takeBackStates());
  std::size_t back = 0;
  while (const auto parcel = outbox.next(true)) back += parcel->message.payload.empty();
  EXPECT_EQ(back, MqttOutbox::kMostHeard);
}

// Ten thousand of 64 KB each would be 655 MB.
TEST(MqttOutbox, OfWhatTheBrokerKeptLongTopicsAreNotRemembered) {
  MqttOutbox outbox(withoutDiscovery());
  outbox.put(sampleState());
  const std::string ending = "/state", before = "mpm/";
  std::string longest(MqttOutbox::kLongestHeard - before.size() - ending.size(), 'x');
  outbox.heard(before + longest + ending, true);
  outbox.heard(before + longest + 'x' + ending, true);
  ASSERT_TRUE(outbox.takeBackStates());
  std::size_t back = 0;
  while (const auto parcel = outbox.next(true)) back += parcel->message.payload.empty();
  EXPECT_EQ(back, 1u);
}

TEST(MqttOutbox, OfStatesOnlyTheLatestIsKept) {
  MqttOutbox outbox(withoutDiscovery());
  PublishedState state = sampleState();
  outbox.put(state);
  state.sources[0].frames = 751;
  outbox.put(state);
  EXPECT_FALSE(outbox.next(false));  // a slow broker gets none
  const auto parcel = outbox.next(true);
  ASSERT_TRUE(parcel);
  EXPECT_EQ(parcel->message.topic, "mpm/north/state");
  EXPECT_EQ(parcel->message.qos, 0);
  EXPECT_TRUE(parcel->message.retain);
  EXPECT_EQ(nlohmann::json::parse(parcel->message.payload)["frames"], 751);
  EXPECT_FALSE(outbox.next(true));
  outbox.begin();  // another connection is told again
  int id = 0;
  EXPECT_EQ(takeAll(outbox, id).back().message.topic, "mpm/north/state");
}

TEST(MqttOutbox, TheOldestEventsAreLostAndCounted) {
  MqttOutbox outbox(withoutDiscovery(3));
  for (int i = 0; i < 10; ++i) outbox.put("north", numbered(i));
  EXPECT_EQ(outbox.lost(), 7u);
  int id = 0;
  const auto parcels = takeAll(outbox, id);
  ASSERT_EQ(parcels.size(), 3u);
  EXPECT_EQ(keyOf(parcels.front()), "7");
  EXPECT_EQ(keyOf(parcels.back()), "9");
}

TEST(MqttOutbox, WhatWasNotAcknowledgedGoesOutAgainInItsOrder) {
  MqttOutbox outbox(withoutDiscovery());
  for (int i = 0; i < 30; ++i) outbox.put("north", numbered(i));
  int id = 0;
  EXPECT_EQ(takeAll(outbox, id).size(), MqttOutbox::kMostHanded);
  outbox.acknowledged(1);
  outbox.acknowledged(3);
  EXPECT_EQ(takeAll(outbox, id).size(), 2u);  // as many as were acknowledged
  EXPECT_EQ(outbox.untoldEvents(), 28u);

  outbox.begin();
  std::vector<std::string> names;
  while (outbox.untoldEvents() > 0) {
    for (const auto& parcel : takeAll(outbox, id)) {
      if (parcel.isEvent) names.push_back(keyOf(parcel));
    }
    for (int k = 0; k <= id; ++k) outbox.acknowledged(k);
  }
  ASSERT_EQ(names.size(), 28u);
  EXPECT_EQ(names[0], "1");
  EXPECT_EQ(names[1], "3");
  EXPECT_EQ(names[27], "29");
  EXPECT_EQ(outbox.lost(), 0u);
}

TEST(MqttOutbox, WhatCannotBeSentIsLostAndWhatWasNotIsFirstAgain) {
  MqttOutbox outbox(withoutDiscovery());
  outbox.put("north", numbered(1));
  outbox.put("north", numbered(2));
  auto parcel = outbox.next(true);
  outbox.putBack(std::move(*parcel));
  parcel = outbox.next(true);
  EXPECT_EQ(keyOf(*parcel), "1");
  outbox.refused(*parcel);
  EXPECT_EQ(outbox.lost(), 1u);
  EXPECT_EQ(keyOf(*outbox.next(true)), "2");
}

TEST(MqttOutbox, HomeAssistantIsToldOnceAndOfWhatChanges) {
  MqttOptions options;
  MqttOutbox outbox(options);
  PublishedState state = sampleState();
  std::size_t empty = 0;
  const auto announced = [&] {
    std::size_t count = empty = 0;
    int id = 0;
    for (bool isMore = true; isMore;) {
      const auto parcels = takeAll(outbox, id);
      isMore = !parcels.empty();
      for (const auto& parcel : parcels) {
        if (!parcel.message.topic.starts_with("homeassistant/")) continue;
        EXPECT_TRUE(parcel.message.retain);
        ++count;
        empty += parcel.message.payload.empty() ? 1 : 0;
      }
      for (int k = 0; k <= id; ++k) outbox.acknowledged(k);
    }
    return count;
  };
  outbox.put(state);
  EXPECT_EQ(announced(), 12u);
  outbox.put(state);
  EXPECT_EQ(announced(), 0u);
  state.sources[0].rules.push_back({"new"});
  state.sources[0].rules.push_back({"untold", true, false});
  outbox.put(state);
  EXPECT_EQ(announced(), 1u);
  outbox.begin();
  EXPECT_EQ(announced(), 13u);
  EXPECT_EQ(empty, 0u);
  state.sources[0].rules.erase(state.sources[0].rules.begin());  // after a reload
  outbox.put(state);
  EXPECT_EQ(announced(), 1u);
  EXPECT_EQ(empty, 1u);
}

// A monitor may be slow to begin: its own states and entities are none of another one.
TEST(MqttOutbox, NothingIsTakenBackBeforeItsSourcesAreKnown) {
  MqttOutbox outbox(withoutDiscovery());
  outbox.begin();
  int id = 0;
  takeAll(outbox, id);
  outbox.heard("mpm/north/state", true);
  outbox.heard("mpm/old/state", true);
  EXPECT_FALSE(outbox.takeBackStates());
  EXPECT_TRUE(takeAll(outbox, id).empty());
  outbox.put(sampleState());
  EXPECT_TRUE(outbox.takeBackStates());
  std::string emptied;
  for (const auto& parcel : takeAll(outbox, id)) {
    if (parcel.message.payload.empty()) emptied += parcel.message.topic;
  }
  EXPECT_EQ(emptied, "mpm/old/state");
}

}  // namespace
}  // namespace mpm::monitor
