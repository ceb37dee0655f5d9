// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

std::map<std::string, json> sampleConfigs(const PublishedSource& source) {
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

const std::string kNode = "mpm_site-2fgate--north";

TEST(MqttDiscovery, EachEntityIsThere) {
  const auto configs = sampleConfigs(sampleSource());
  std::set<std::string> topics;
  for (const auto& [topic, config] : configs) topics.insert(topic);
  const std::string sensor = "homeassistant/sensor/" + kNode + '/';
  const std::string binary = "homeassistant/binary_sensor/" + kNode + '/';
  EXPECT_EQ(topics,
            (std::set<std::string>{
                binary + "camera_faults/config", sensor + "live_rows/config",
                sensor + "merged_share/config", sensor + "light/config", sensor + "fps/config",
                sensor + "frame_age_ms/config", sensor + "area-2ecar/config",
                sensor + "area-2etree/config", sensor + "fresh_share/config",
                sensor + "memory_agreement/config", binary + "rule_car-20at-20the-20gate/config",
                binary + "rule_dark/config"}));
}

TEST(MqttDiscovery, ConfigsHoldWhatHomeAssistantAsksFor) {
  std::set<std::string> ids;
  for (const auto& [topic, config] : sampleConfigs(sampleSource())) {
    EXPECT_EQ(topic.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-/"),
              std::string::npos)
        << topic;
    EXPECT_EQ(std::count(topic.begin(), topic.end(), '/'), 4) << topic;
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
}

TEST(MqttDiscovery, TheLightsOptionsAreAllStates) {
  const auto configs = sampleConfigs(sampleSource());
  const json& light = configs.at("homeassistant/sensor/" + kNode + "/light/config");
  EXPECT_EQ(light["options"],
            json({"day", "dusk", "night", "infrared", "no_signal", "transition"}));
}

TEST(MqttDiscovery, ARuleAboutSilenceIsThereWhileNoFrameComes) {
  PublishedSource source = sampleSource();
  source.rules = {{"lost", true, true, true}, {"untold", true, false}};
  const auto configs = sampleConfigs(source);
  const std::string rule = "homeassistant/binary_sensor/" + kNode + "/rule_";
  EXPECT_EQ(configs.at(rule + "lost/config")["availability"],
            json::array({{{"topic", "site/gate/status"}}}));
  EXPECT_EQ(configs.count(rule + "untold/config"), 0u);
}

TEST(MqttDiscovery, StrangeNamesStayApartAndAreQuoted) {
  PublishedSource source = sampleSource();
  source.rules = {{"it's \\ dark"}, {"a b"}, {"a-20b"}, {"ä"}, {"a_b"}};
  const auto configs = sampleConfigs(source);  // which sees that no topic is there twice
  const auto rule =
      configs.find("homeassistant/binary_sensor/" + kNode + "/rule_it-27s-20-5c-20dark/config");
  ASSERT_NE(rule, configs.end());
  EXPECT_EQ(rule->second["value_template"],
            "{{ 'ON' if value_json.rules['it\\'s \\\\ dark'] else 'OFF' }}");
}

}  // namespace
}  // namespace mpm::monitor
