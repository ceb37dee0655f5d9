// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace mpm::teach {

/// Returns a name of 64 digits for these parts, in order, and this version of the library. No other
/// parts give the same name.
std::string keyOf(std::initializer_list<std::string_view> parts);

/// Keeps results in files of a folder, each under the key of what it was computed from. A file that
/// is incomplete or was changed counts as missing. Nothing here is an error: what cannot be
/// written, for a full disk or lack of permission, is not kept.
class Kept {
 public:
  static constexpr std::uintmax_t kMostBytes = 512U << 20;

  /// An empty folder name keeps and finds nothing. The folder is created with the first value; its
  /// parent has to exist. Beyond `most` bytes, the least recently used files are removed, but none
  /// that was used since this object was made. Files with other names are ignored.
  explicit Kept(std::string folder, std::uintmax_t most = kMostBytes);

  std::optional<std::string> find(const std::string& key) const;
  void put(const std::string& key, std::string_view value) const;

 private:
  std::filesystem::path fileOf(const std::string& key) const;
  bool makeRoom(std::uintmax_t bytes) const;

  std::filesystem::path folder_;
  std::uintmax_t most_;
  std::filesystem::file_time_type begin_;
};

/// Appends numbers as they lie in memory.
template <class Number>
void pack(std::string& to, const Number* numbers, std::size_t count) {
  to.append(reinterpret_cast<const char*>(numbers), count * sizeof(Number));
}

/// Takes numbers from the front; returns false and takes nothing if there are too few.
template <class Number>
bool unpack(std::string_view& from, Number* numbers, std::size_t count) {
  if (from.size() / sizeof(Number) < count) return false;
  from.copy(reinterpret_cast<char*>(numbers), count * sizeof(Number));
  from.remove_prefix(count * sizeof(Number));
  return true;
}

}  // namespace mpm::teach
