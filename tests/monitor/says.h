// SPDX-License-Identifier: Apache-2.0
// What the tests of all rooms stand on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

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

namespace mpm {

/// Whether a text has a part; EXPECT_TRUE and EXPECT_FALSE print the text.
inline testing::AssertionResult has(const std::string& text, const std::string& part) {
  const bool isThere = text.find(part) != std::string::npos;
  return testing::AssertionResult(isThere) << '"' << part << "\" in: " << text;
}

/// What a call throws, as text; empty: nothing.
template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace mpm
