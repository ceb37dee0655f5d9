// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <utility>
#include <vector>

namespace mpm::monitor {

/// std::runtime_error "FILE:LINE: sentence".
[[noreturn]] void refuseAt(const std::string& file, const toml::source_region& where,
                           const std::string& sentence);

/// "a text", "a number", ...: what a value is, for sentences.
std::string kindOf(const toml::node& node);

/// Typed reading of one table. Everything that is not as it has to be is refused with the place and
/// the subject that the table is about, such as "rule 'gate'".
class TomlReader {
 public:
  TomlReader(std::string file, const toml::table& table, std::string subject)
      : file_(std::move(file)), table_(table), subject_(std::move(subject)) {}

  void setSubject(std::string subject) { subject_ = std::move(subject); }
  void refuseOtherKeys(const std::vector<std::string>& known) const;

  std::optional<std::string> text(std::string_view key) const;  ///< not empty, no control character
  std::optional<double> number(std::string_view key) const;     ///< finite
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::int64_t> secondsAsMs(std::string_view key) const;  ///< 0 to 366 days
  /// A list of texts, or, where `orOne`, one text alone.
  std::optional<std::vector<std::string>> texts(std::string_view key, bool orOne) const;
  /// A list of lists of two numbers; `right` says what to write.
  std::optional<std::vector<std::pair<double, double>>> points(std::string_view key,
                                                               const std::string& right) const;

  [[noreturn]] void refuse(const toml::source_region& where, const std::string& sentence) const;
  /// At the key, or at the table where it has no such key.
  [[noreturn]] void refuseKey(std::string_view key, const std::string& sentence) const;
  toml::source_region placeOf(std::string_view key) const;

 private:
  [[noreturn]] void refuseKind(std::string_view key, const toml::node& node,
                               const std::string& right) const;

  std::string file_;
  const toml::table& table_;
  std::string subject_;
};

}  // namespace mpm::monitor
