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

/// A name of 64 digits for what follows from these parts, in this order, and from this version of
/// the library; no other parts have it.
std::string keyOf(std::initializer_list<std::string_view> parts);

/// What was computed before, each under the key of what it was computed from, in files of a folder.
/// A file that is not whole, or was changed, is as good as none. Nothing here is ever a fault: what
/// cannot be written, on a full disk or where nobody may write, is not kept.
class Kept {
 public:
  static constexpr std::uintmax_t kMostBytes = 512U << 20;

  /// Empty: nothing is found and nothing kept. The folder is made when the first is kept; the one
  /// around it has to be there. Once `most` bytes are there those make room that were not used for
  /// the longest time, but none that was used since this object was made. Files of other names are
  /// nobody's business here: they do not count, and stay.
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

/// Writes numbers one behind the other as they lie in memory.
template <class Number>
void pack(std::string& to, const Number* numbers, std::size_t count) {
  to.append(reinterpret_cast<const char*>(numbers), count * sizeof(Number));
}

/// Takes them from the front again; false, and nothing is taken, where there are not so many.
template <class Number>
bool unpack(std::string_view& from, Number* numbers, std::size_t count) {
  if (from.size() / sizeof(Number) < count) return false;
  from.copy(reinterpret_cast<char*>(numbers), count * sizeof(Number));
  from.remove_prefix(count * sizeof(Number));
  return true;
}

}  // namespace mpm::teach
