// SPDX-License-Identifier: Apache-2.0
// mpm watch with a real broker.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/mpm.h"
#include "cli/running_monitor.h"
#include "monitor/publish/broker.h"

namespace mpm::test {
namespace {

class MonitorMqtt : public testing::Test {
 protected:
  void SetUp() override {
    if (!monitor::Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
    if (monitor::findProgram("openssl").empty()) GTEST_SKIP() << "openssl is not installed";
  }

  std::vector<std::string> words(const monitor::MqttOptions& options) const {
    const std::string password = folder_.write("password", options.password + "\n");
    chmod(password.c_str(), 0600);
    return {"yard=scene:?size=64x64", "--mqtt",
            "mqtts://" + options.user + "@" + options.host + ":" + std::to_string(options.port) +
                "/site/yard1",
            "--mqtt-password-file", password};
  }

  Folder folder_;
};

TEST_F(MonitorMqtt, ItsAuthorityIsTheOneThatWasGiven) {
  const monitor::Broker broker(true);
  const monitor::Hearer hearer(broker.options(), "site/#");
  std::vector<std::string> all = words(broker.options());
  all.insert(all.end(), {"--mqtt-ca", broker.options().caFile});
  RunningMonitor monitor(all);
  EXPECT_TRUE(hearer.waitFor("site/yard1/status", "online")) << monitor.log();
  EXPECT_TRUE(hearer.waitFor("site/yard1/yard/state", "\"figures\"")) << monitor.log();
  EXPECT_EQ(monitor.end(SIGTERM), 0);
  EXPECT_TRUE(hearer.waitFor("site/yard1/status", "offline"));
}

TEST_F(MonitorMqtt, ABrokerThatIsGoneIsToldInTheLogAndThatItIsBack) {
  monitor::Broker broker(true);
  std::vector<std::string> all = words(broker.options());
  all.insert(all.end(), {"--mqtt-ca", broker.options().caFile, "--http", "0"});
  RunningMonitor monitor(all);
  const auto isConnected = [&](const char* number) {
    return monitor::waitUntil([&] {
      return monitor.page("/metrics").find("\nmpm_mqtt_connected " + std::string(number)) !=
             std::string::npos;
    });
  };
  EXPECT_TRUE(isConnected("1")) << monitor.log();
  broker.stop();
  EXPECT_TRUE(monitor.says("the MQTT broker at localhost")) << monitor.log();
  EXPECT_TRUE(isConnected("0"));
  broker.start();
  EXPECT_TRUE(monitor.says("the MQTT broker is reachable again")) << monitor.log();
  EXPECT_TRUE(isConnected("1"));
  EXPECT_EQ(monitor.end(SIGTERM), 0);
}

TEST_F(MonitorMqtt, ABrokerThatCannotBeTrustedIsToldInTheLog) {
  const monitor::Broker broker(true);  // of an authority that the machine does not know
  RunningMonitor monitor(words(broker.options()));
  EXPECT_TRUE(monitor.says("the MQTT broker at localhost")) << monitor.log();
  EXPECT_TRUE(monitor.says("certificate")) << monitor.log();
  EXPECT_EQ(monitor.log().find("s3cret"), std::string::npos);
  EXPECT_EQ(monitor.end(SIGTERM), 0);
}

}  // namespace
}  // namespace mpm::test
