// SPDX-License-Identifier: Apache-2.0
// With mqtt_none.cpp, which stands in where libmosquitto is missing.
#include <gtest/gtest.h>

#include <stdexcept>

#include "monitor/publish/mqtt_publisher.h"

namespace mpm::monitor {
namespace {

TEST(MqttNone, SaysWhatIsMissing) {
  MqttOptions options;
  options.host = "broker";
  try {
    const MqttPublisher publisher(options);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("libmosquitto-dev"), std::string::npos);
  }
}

}  // namespace
}  // namespace mpm::monitor
