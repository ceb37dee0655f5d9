// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mpm::monitor {

using PlaceholderValues = std::vector<std::pair<std::string, std::string>>;

/// Placeholders of a rule's command: rule, source, value, time, state.
const std::vector<std::string>& placeholderNames();

/// Replaces each "{name}" of a value, read once from left to right. Text from values is not
/// replaced again, and braces around anything else stay.
std::string withValues(const std::string& text, const PlaceholderValues& values);

/// Finds a "{word}" that is no placeholder but resembles one, and returns both. Braces around
/// anything else belong to the program.
std::optional<std::pair<std::string, std::string>> misspelled(const std::string& text);

struct CommandOptions {
  /// Time after which a program gets SIGTERM, and a second later SIGKILL.
  std::int64_t timeoutMs = 30000;
  std::size_t atOnce = 4, mostWaiting = 64;
  /// Time at the end for running and waiting programs to finish.
  std::int64_t lastMs = 1000;
};

/// A command that was not started, did not end well, or did not end by itself.
struct CommandFailure {
  std::string fault;         ///< one sentence
  PlaceholderValues values;  ///< that it was to be run with
};

/// Runs programs without a shell, without waiting for them, and without leaving any behind.
class Commands {
 public:
  /// `onFailure` reports each failure, from a thread of this object or from the caller of `run`. It
  /// returns at once and never throws.
  explicit Commands(const CommandOptions& options = {},
                    std::function<void(const CommandFailure&)> onFailure = {});
  ~Commands();  ///< end()

  /// Applies withValues to each word. Returns false if too many wait already, or after end().
  bool run(const std::vector<std::string>& command, const PlaceholderValues& values);

  /// Ends programs that still run after `lastMs`, within a second, and counts them as failed.
  /// Waiting ones are rejected. Call it from one thread.
  void end();

  struct Status {
    std::uint64_t begun = 0, failed = 0;
    std::uint64_t refused = 0;  ///< since too many waited, or it was the end
    std::string fault;          ///< of the last that failed or was refused: one sentence
  };
  Status status() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::monitor
