// SPDX-License-Identifier: Apache-2.0
// A publisher in a process of its own, to be killed: PORT USER PASSWORD.
#include <unistd.h>

#include <cstdlib>

#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/sample_state.h"

int main(int count, char** arguments) {
  if (count != 4) return 2;
  mpm::monitor::MqttOptions options;
  options.host = "127.0.0.1";
  options.port = std::atoi(arguments[1]);
  options.user = arguments[2];
  options.password = arguments[3];
  mpm::monitor::MqttPublisher publisher(options);
  publisher.publish(mpm::monitor::sampleState());
  while (true) pause();
}
