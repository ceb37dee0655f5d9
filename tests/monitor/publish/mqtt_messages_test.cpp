// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

TEST(MqttMessages, AStateHoldsFiguresLightRowsAndCapture) {
  PublishedSource source = sampleSource();
  source.rules.push_back({"untold", true, false});
  const json state = json::parse(stateJson(source));
  const std::pair<const char*, json> expected[] = {
      {"/source", "north"},
      {"/address", "rtsp://***@camera.example/north"},
      {"/time", "2026-03-01T17:05:09.250Z"},
      {"/fresh", true},
      {"/model_fault", ""},
      {"/light", "dusk"},
      {"/rows", {1024, 700}},
      {"/figures/area.car", 0.125},
      {"/figures/zone.gate.area.car", 0.5},
      {"/figures/area.tree", nullptr},
      {"/capture/state", "live"},
      {"/capture/fps", 25},
      {"/capture/dropped", 250},
      {"/capture/since_frame_ms", 40},
      {"/frames", 750},
      {"/light_frames/dusk", 200},
      {"/rules", {{"car at the gate", true}, {"dark", false}}}};
  for (const auto& [path, value] : expected)
    EXPECT_EQ(state.at(json::json_pointer(path)), value) << path;
  EXPECT_EQ(state["figures"].count("rows.0"), 0u);
  EXPECT_EQ(state["figures"].count("drops"), 0u);
}

TEST(MqttMessages, FiguresHaveSixDigits) {
  PublishedSource source = sampleSource();
  source.latest->values[2] = 1.0 / 3;
  source.latest->values[4] = 1234567.0;
  source.latest->values[5] = 1e-9;
  source.latest->values[8] = INFINITY;
  const std::string text = stateJson(source);
  for (const char* part : {"\"merged_share\":0.333333,", "\"confidence\":1234570,",
                           "\"area.car\":1e-09,", "\"luma\":null,"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(MqttMessages, OldFiguresAreNotFresh) {
  PublishedSource source = sampleSource();
  source.netFault = "no memory";
  source.latestAgeMs = 60000;
  json state = json::parse(stateJson(source));
  EXPECT_EQ(state["model_fault"], "no memory");
  EXPECT_EQ(state["fresh"], true);
  source.latestAgeMs = 60001;
  EXPECT_EQ(json::parse(stateJson(source))["fresh"], false);
  source = sampleSource();
  source.capture.msSinceFrame = 60001;
  EXPECT_EQ(json::parse(stateJson(source))["fresh"], false);
  source.latest.reset();
  source.capture = {};
  state = json::parse(stateJson(source));
  EXPECT_EQ(state["fresh"], false);
  EXPECT_EQ(state.count("figures"), 0u);
  EXPECT_TRUE(state["capture"]["since_frame_ms"].is_null());
}

TEST(MqttMessages, AnEventHoldsWhatHappened) {
  Event event;
  event.at.utcMs = kSampleUtcMs;
  event.at.synchronised = false;
  event.kind = "rule";
  event.name = "car at the gate";
  event.text = "A car \xFF is at the gate.";
  event.value = 0.25;
  EXPECT_EQ(json::parse(eventJson("north", event)),
            json({{"source", "north"},
                  {"time", "2026-03-01T17:05:09.250Z"},
                  {"utc_ms", kSampleUtcMs},
                  {"synchronised", false},
                  {"kind", "rule"},
                  {"name", "car at the gate"},
                  {"text", "A car \xEF\xBF\xBD is at the gate."},
                  {"value", 0.25}}));
  event.value.reset();
  EXPECT_TRUE(json::parse(eventJson("north", event))["value"].is_null());
}

const std::string kNode = "mpm_site-2fgate--north";
const std::string kSensor = "homeassistant/sensor/" + kNode + '/';
const std::string kBinary = "homeassistant/binary_sensor/" + kNode + '/';

std::map<std::string, json> configsOf(const PublishedSource& source) {
  std::map<std::string, json> configs;
  for (const MqttMessage& message :
       discoveryMessages("homeassistant", "site/gate", sampleState(), source)) {
    EXPECT_EQ(message.qos, 1);
    EXPECT_TRUE(message.retain);
    EXPECT_TRUE(configs.emplace(message.topic, json::parse(message.payload)).second)
        << message.topic;
  }
  return configs;
}

TEST(MqttDiscovery, EachEntityHoldsWhatHomeAssistantAsksFor) {
  const auto configs = configsOf(sampleSource());
  std::set<std::string> topics, ids;
  for (const auto& [topic, config] : configs) {
    topics.insert(topic);
    EXPECT_TRUE(ids.insert(config["unique_id"]).second) << config["unique_id"];
    EXPECT_EQ(config["state_topic"], "site/gate/north/state");
    EXPECT_EQ(config["availability"][0]["topic"], "site/gate/status");
    EXPECT_EQ(config["availability"][1]["topic"], "site/gate/north/state");
    EXPECT_EQ(config["availability_mode"], "all");
    EXPECT_EQ(config["device"]["identifiers"], json::array({kNode}));
    EXPECT_EQ(config["device"]["sw_version"], "1.2.3");
    EXPECT_NE(config["value_template"].get<std::string>().find("value_json."), std::string::npos);
    const bool isArea = topic.find("/area") != std::string::npos;
    EXPECT_EQ(config.value("enabled_by_default", true), !isArea) << topic;
  }
  EXPECT_EQ(topics,
            (std::set<std::string>{
                kBinary + "camera_faults/config", kSensor + "live_rows/config",
                kSensor + "merged_share/config", kSensor + "light/config", kSensor + "fps/config",
                kSensor + "frame_age_ms/config", kSensor + "area-2ecar/config",
                kSensor + "area-2etree/config", kSensor + "fresh_share/config",
                kSensor + "memory_agreement/config", kBinary + "rule_car-20at-20the-20gate/config",
                kBinary + "rule_dark/config"}));
  EXPECT_EQ(configs.at(kSensor + "light/config")["options"],
            json({"day", "dusk", "night", "infrared", "no_signal", "transition", "unknown"}));
  EXPECT_EQ(configs.at(kSensor + "merged_share/config")["value_template"],
            "{% set x = value_json.figures['merged_share'] | default(none) %}"
            "{{ none if x is none else (x * 100) | round(2) }}");
}

TEST(MqttDiscovery, RulesKeepTheirNamesApart) {
  PublishedSource source = sampleSource();
  source.rules = {{"lost", true, true, true},
                  {"untold", true, false},
                  {"it's \\ dark"},
                  {"a b"},
                  {"a-20b"},
                  {"ä"},
                  {"a_b"}};
  const auto configs = configsOf(source);  // which sees that no topic is there twice
  // A rule about silence is there while no frame comes.
  EXPECT_EQ(configs.at(kBinary + "rule_lost/config")["availability"],
            json::array({{{"topic", "site/gate/status"}}}));
  EXPECT_EQ(configs.count(kBinary + "rule_untold/config"), 0u);
  EXPECT_EQ(configs.at(kBinary + "rule_it-27s-20-5c-20dark/config")["value_template"],
            "{{ 'ON' if value_json.rules['it\\'s \\\\ dark'] else 'OFF' }}");
}

TEST(MqttAddress, EachPartIsRead) {
  const struct {
    const char *address, *host;
    int port;
    bool tls;
    const char *prefix, *user, *password;
  } cases[] = {
      {"mqtt://broker", "broker", 0, false, "mpm", "", ""},
      {"mqtts://gate:s3cret@broker.example:8884/site/gate1", "broker.example", 8884, true,
       "site/gate1", "gate", "s3cret"},
      {"mqtt://gate@[fe80::1]:1884/", "fe80::1", 1884, false, "mpm", "gate", ""},
      {"mqtt://a%40b:p%2Fa%3as%25@host", "host", 0, false, "mpm", "a@b", "p/a:s%"},
      {"mqtt://u:a:b@host", "host", 0, false, "mpm", "u", "a:b"},
      {"mqtt://u:a@b@host", "host", 0, false, "mpm", "u", "a@b"},
  };
  for (const auto& each : cases) {
    const MqttOptions options = parseMqttAddress(each.address);
    EXPECT_EQ(options.host, each.host);
    EXPECT_EQ(options.port, each.port) << each.address;
    EXPECT_EQ(options.tls, each.tls) << each.address;
    EXPECT_EQ(options.prefix, each.prefix);
    EXPECT_EQ(options.user, each.user);
    EXPECT_EQ(options.password, each.password);
  }
}

TEST(MqttAddress, WhatIsWrongIsSaidWithoutAnyPartOfIt) {
  for (const std::string bad : {"",
                                "s3cret",
                                "http://u:s3cret@host",
                                "mqtt:/u:s3cret@host",
                                "mqtt://",
                                "mqtt://u:s3cret@",
                                "mqtt://u:s3cret@:1883",
                                "mqtt://u:s3cret@host:0",
                                "mqtt://u:s3cret@host:65536",
                                "mqtt://u:s3cret@host:",
                                "mqtt://u:s3cret@host:18x",
                                "mqtt://host:s3cret",
                                "mqtt://u:s3/cret@host",
                                "mqtt://u:s3cret%@host",
                                "mqtt://u:s3cret%4@host",
                                "mqtt://u:s3cret%g0@host",
                                "mqtt://u:s3cret?@host",
                                "mqtt://u:s3cret@host/a?b=c",
                                "mqtt://u:s3cret@host/a/#",
                                "mqtt://u:s3cret@host/a/+/b",
                                "mqtt://u:s3cret@host//a",
                                "mqtt://u:s3cret@host/a/",
                                "mqtt://u:s3cret@host/$SYS",
                                "mqtt://u:s3cret@host/a%00b",
                                "mqtt://u:s3cret@host/%ff",
                                "mqtt://:s3cret@host",
                                "mqtt://u:s3cret%00@host",
                                "mqtt://u%ff:s3cret@host",
                                "mqtt://u:s3cret@ho st",
                                "mqtt://u:s3cret@[::1",
                                "mqtt://u:s3cret@[::1]1883"}) {
    try {
      parseMqttAddress(bad);
      FAIL() << bad;
    } catch (const std::invalid_argument& error) {
      const std::string sentence = error.what();
      for (const std::string part : {"s3", "cret"})
        EXPECT_EQ(sentence.find(part), std::string::npos) << sentence;
      EXPECT_NE(sentence.find("mqtt://"), std::string::npos);
    }
  }
}

TEST(MqttAddress, OptionsMadeByHandAreCheckedAsWell) {
  const auto isGood = [](const auto& change) {
    MqttOptions options;
    options.host = "broker";
    change(options);
    try {
      checkMqttOptions(options);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  EXPECT_TRUE(isGood([](MqttOptions& options) { options.discoveryPrefix = ""; }));
  EXPECT_FALSE(isGood([](MqttOptions& options) { options.host = ""; }));
  EXPECT_FALSE(isGood([](MqttOptions& options) { options.discoveryPrefix = "home/#"; }));
  EXPECT_FALSE(isGood([](MqttOptions& options) { options.caFile = "ca.crt"; }));
  EXPECT_FALSE(isGood([](MqttOptions& options) { options.prefix = ""; }));
}

}  // namespace
}  // namespace mpm::monitor
