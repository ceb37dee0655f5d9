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

/// Lists what a rule's command may hold: rule, source, value, time, state.
const std::vector<std::string>& placeholderNames();

/// Each "{name}" of a value becomes it, read once from left to right: what a value brings in stays
/// as it is, and so do braces around anything else.
std::string withValues(const std::string& text, const PlaceholderValues& values);

/// A "{word}" that is none of placeholderNames() but so like one that it was meant, and that one.
/// Braces around anything else are a program's own.
std::optional<std::pair<std::string, std::string>> misspelled(const std::string& text);

struct CommandOptions {
  /// Then a program is told to end (SIGTERM), and a second later killed.
  std::int64_t timeoutMs = 30000;
  std::size_t atOnce = 4, mostWaiting = 64;
  /// At the end what runs and waits has so long to end by itself.
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
  /// `onFailure` is told of each, by a thread of this object or by whoever calls `run`: it returns
  /// at once and never throws.
  explicit Commands(const CommandOptions& options = {},
                    std::function<void(const CommandFailure&)> onFailure = {});
  ~Commands();  ///< end()

  /// Each word withValues. False where too many wait already, or after end().
  bool run(const std::vector<std::string>& command, const PlaceholderValues& values);

  /// Behind `lastMs` what still runs is ended, within a second, and has failed; what still waits is
  /// refused. From one thread.
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
