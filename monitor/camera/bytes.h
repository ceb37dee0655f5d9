// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace mpm::monitor {

/// Values one behind the other, for the machine that wrote them.
template <typename Value>
void put(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The first value, which is taken off; false: there are too few bytes.
template <typename Value>
bool take(std::string_view& bytes, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

}  // namespace mpm::monitor
