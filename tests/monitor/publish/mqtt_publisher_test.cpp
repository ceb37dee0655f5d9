// SPDX-License-Identifier: Apache-2.0
// Without a broker: mqtt_broker_test.cpp has one.
#include "monitor/publish/mqtt_publisher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "monitor/publish/child_process.h"
#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

using namespace std::chrono_literals;

MqttOptions nobodysPort() {
  static const HeldPort nobodys;
  MqttOptions options;
  options.host = "127.0.0.1";
  options.port = nobodys.port();
  options.user = "gate";
  options.password = "s3cret";
  return options;
}

TEST(MqttPublisher, ABrokerThatIsNotThereIsAFaultWithoutThePassword) {
  MqttPublisher publisher(nobodysPort());
  publisher.publish(sampleState());
  // A try that takes long on a busy machine ends with another fault.
  EXPECT_TRUE(waitUntil([&] {
    return publisher.status().fault.find("refused") != std::string::npos;
  })) << publisher.status().fault;
  const MqttStatus status = publisher.status();
  EXPECT_TRUE(status.built);
  EXPECT_FALSE(status.connected);
  EXPECT_NE(status.fault.find("127.0.0.1"), std::string::npos) << status.fault;
  EXPECT_EQ(status.fault.find("s3cret"), std::string::npos);
}

// Seen: "cannot be reached: Success".
TEST(MqttPublisher, AServerOfAnotherKindIsAFaultWithAReason) {
  const test::TinyServer server("HTTP/1.1 400 Bad Request\r\n\r\n", true);
  MqttOptions options = nobodysPort();
  options.port = server.port();
  const MqttPublisher publisher(options);
  EXPECT_TRUE(waitUntil([&] {
    return publisher.status().fault.find("cannot be reached: The connection was lost") !=
           std::string::npos;
  })) << publisher.status().fault;
}

// Seen: 256 MB of memory for one message, and without bound for many that are never let go of.
TEST(MqttPublisher, ABrokerThatSendsWhatNobodyAskedForIsLeft) {
  const std::string welcome("\x20\x02\0\0", 4), topic("\0\2ab", 4);
  const std::string ofQuality2 = "\x34\x09" + topic + std::string("\0\1", 2) + "xyz";
  const std::string longOne = "\x30\x84\x80\x20" + topic + std::string(1 << 19, 'x');
  const struct {
    std::string sent, told;
  } cases[] = {
      {"\x30\xff\xff\xff\x7f" + topic + std::string(2 << 20, 'x'), "more than a megabyte"},
      {ofQuality2, "quality 2"},
      {longOne + longOne + longOne + ofQuality2, "quality 2"},
  };
  for (const auto& each : cases) {
    const test::TinyServer server(welcome + each.sent, false);
    MqttOptions options = nobodysPort();
    options.port = server.port();
    const MqttPublisher publisher(options);
    EXPECT_TRUE(waitUntil([&] {
      return publisher.status().fault.find(each.told) != std::string::npos;
    })) << publisher.status().fault;
  }
}

TEST(MqttPublisher, EventsWaitAndTheOldestAreLost) {
  MqttOptions options = nobodysPort();
  options.mostWaiting = 10;
  MqttPublisher publisher(options);
  for (int i = 0; i < 1000; ++i) publisher.publish("north", Event{});
  EXPECT_EQ(publisher.status().lost, 990u);
  EXPECT_EQ(publisher.status().messages, 0u);
}

TEST(MqttPublisher, AHostThatDoesNotExistNeitherBlocksNorThrows) {
  MqttOptions options = nobodysPort();
  options.host = "no-such-host.invalid";
  MqttPublisher publisher(options);
  publisher.publish(sampleState());
  publisher.publish("north", Event{});
  EXPECT_FALSE(publisher.status().connected);
}

TEST(MqttPublisher, AServerThatSaysNothingIsGivenUpWhenThePublisherEnds) {
  // A listening socket whose connections nobody answers.
  MqttOptions options = nobodysPort();
  const SilentServer server;
  options.port = server.port();
  const auto since = std::chrono::steady_clock::now();
  {
    MqttPublisher publisher(options);
    publisher.publish("north", Event{});
    EXPECT_FALSE(publisher.status().connected);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - since, 30s);  // the connection's keep-alive
}

TEST(MqttPublisher, WaitingForAServerThatSaysNothingCostsNothing) {
  const SilentServer server;
  MqttOptions options = nobodysPort();
  options.port = server.port();
  const MqttPublisher publisher(options);
  const std::clock_t begin = std::clock();
  std::this_thread::sleep_for(500ms);  // a window: waiting has no end of its own
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.25);
}

TEST(MqttPublisher, WhatCannotBeIsRefusedAtOnce) {
  EXPECT_THROW(MqttPublisher{MqttOptions{}}, std::invalid_argument);
  MqttOptions options = nobodysPort();
  options.tls = true;
  options.caFile = "/no/such/file.crt";
  try {
    const MqttPublisher publisher(options);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/file.crt"), std::string::npos);
  }
}

TEST(MqttPublisher, ManyEndAtOnce) {
  for (int i = 0; i < 20; ++i) {
    MqttPublisher publisher(nobodysPort());
    publisher.publish(sampleState());
  }
}

}  // namespace
}  // namespace mpm::monitor
