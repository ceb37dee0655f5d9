// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "monitor/publish/mqtt_publisher.h"

namespace mpm::monitor {
namespace {

TEST(MqttAddress, EachPartIsRead) {
  MqttOptions options = parseMqttAddress("mqtt://broker");
  EXPECT_EQ(options.host, "broker");
  EXPECT_EQ(options.port, 0);
  EXPECT_FALSE(options.tls);
  EXPECT_EQ(options.prefix, "mpm");
  EXPECT_EQ(options.user, "");

  options = parseMqttAddress("mqtts://gate:s3cret@broker.example:8884/site/gate1");
  EXPECT_EQ(options.host, "broker.example");
  EXPECT_EQ(options.port, 8884);
  EXPECT_TRUE(options.tls);
  EXPECT_EQ(options.prefix, "site/gate1");
  EXPECT_EQ(options.user, "gate");
  EXPECT_EQ(options.password, "s3cret");

  options = parseMqttAddress("mqtt://gate@[fe80::1]:1884/");
  EXPECT_EQ(options.host, "fe80::1");
  EXPECT_EQ(options.port, 1884);
  EXPECT_EQ(options.user, "gate");
  EXPECT_EQ(options.password, "");
  EXPECT_EQ(options.prefix, "mpm");

  options = parseMqttAddress("mqtt://a%40b:p%2Fa%3as%25@host");
  EXPECT_EQ(options.user, "a@b");
  EXPECT_EQ(options.password, "p/a:s%");
  EXPECT_EQ(parseMqttAddress("mqtt://u:a:b@host").password, "a:b");
  EXPECT_EQ(parseMqttAddress("mqtt://u:a@b@host").password, "a@b");
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
  MqttOptions options;
  EXPECT_THROW(checkMqttOptions(options), std::invalid_argument);
  options.host = "broker";
  EXPECT_NO_THROW(checkMqttOptions(options));
  options.discoveryPrefix = "";
  EXPECT_NO_THROW(checkMqttOptions(options));
  options.discoveryPrefix = "home/#";
  EXPECT_THROW(checkMqttOptions(options), std::invalid_argument);
  options.discoveryPrefix = "homeassistant";
  options.caFile = "ca.crt";
  EXPECT_THROW(checkMqttOptions(options), std::invalid_argument);
  options.tls = true;
  EXPECT_NO_THROW(checkMqttOptions(options));
  options.prefix = "";
  EXPECT_THROW(checkMqttOptions(options), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::monitor
