// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mpm::monitor {

struct MqttStatus {
  bool built = true;  ///< false: the program was built without libmosquitto
  bool connected = false;
  std::uint64_t messages = 0, bytes = 0;  ///< handed to a broker
  std::uint64_t lost = 0;                 ///< events that were given up
  std::uint64_t waiting = 0;              ///< events that no broker acknowledged yet
  std::uint64_t tries = 0;                ///< how often a connection was begun
  std::string fault;                      ///< why it is not connected; no secrets
};

}  // namespace mpm::monitor
