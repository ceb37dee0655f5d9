// SPDX-License-Identifier: Apache-2.0
// With mqtt_none.cpp, which stands in where libmosquitto is missing.
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/says.h"

namespace mpm::monitor {
namespace {

TEST(MqttNone, SaysWhatIsMissing) {
  MqttOptions options;
  options.host = "broker";
  EXPECT_TRUE(has(refusal([&] { const MqttPublisher publisher(options); }), "libmosquitto-dev"));
}

}  // namespace
}  // namespace mpm::monitor
