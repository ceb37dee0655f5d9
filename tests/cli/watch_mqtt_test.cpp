// SPDX-License-Identifier: Apache-2.0
// mpm watch with a real broker.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <string>

#include "cli/mpm.h"
#include "cli/running_monitor.h"
#include "monitor/publish/broker.h"

namespace mpm::test {
namespace {

// Faults of each kind are tested with the publisher.
TEST(MonitorMqtt, ItsAuthorityIsTheOneThatWasGivenAndAnOutageIsToldInTheLog) {
  if (!monitor::Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
  if (monitor::findProgram("openssl").empty()) GTEST_SKIP() << "openssl is not installed";
  const Folder folder;
  monitor::Broker broker(true);
  const monitor::MqttOptions options = broker.options();
  const monitor::Hearer hearer(options, "site/#");
  const std::string password = folder.write("password", options.password + "\n");
  chmod(password.c_str(), 0600);
  RunningMonitor monitor({"yard=scene:?size=64x64", "--mqtt",
                          "mqtts://" + options.user + "@" + options.host + ":" +
                              std::to_string(options.port) + "/site/yard1",
                          "--mqtt-password-file", password, "--mqtt-ca", options.caFile});
  EXPECT_TRUE(hearer.waitFor("site/yard1/status", "online")) << monitor.log();
  EXPECT_TRUE(hearer.waitFor("site/yard1/yard/state", "\"figures\"")) << monitor.log();
  broker.stop();
  EXPECT_TRUE(monitor.says("the MQTT broker at localhost")) << monitor.log();
  broker.start();
  EXPECT_TRUE(monitor.says("the MQTT broker is reachable again")) << monitor.log();
  EXPECT_EQ(monitor.end(SIGTERM), 0);
  EXPECT_TRUE(hearer.waitFor("site/yard1/status", "offline"));
  EXPECT_EQ(monitor.log().find(options.password), std::string::npos);
}

}  // namespace
}  // namespace mpm::test
