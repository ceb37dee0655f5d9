// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace mpm::test {

/// Waits for something that happens by itself. The patience is only there to end a test that fails.
inline bool eventually(const auto& holds,
                       std::chrono::seconds patience = std::chrono::seconds(120)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace mpm::test
