// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mpm::monitor {

struct CommandOptions {
  std::int64_t timeoutMs =
      30000;  ///< then it is told to end (SIGTERM), a second later it is killed
  std::size_t atOnce = 4, mostWaiting = 64;
};

/// Runs programs without a shell, without waiting for them, and without leaving any behind.
class Commands {
 public:
  explicit Commands(const CommandOptions& options = {});
  ~Commands();  ///< ends what runs; within a second

  /// Each "{name}" in the arguments becomes its value; a value is never parsed again. False where
  /// too many wait already.
  bool run(const std::vector<std::string>& command,
           const std::vector<std::pair<std::string, std::string>>& values);

  struct Status {
    std::uint64_t begun = 0, failed = 0, refused = 0;
    std::string fault;  ///< of the last that failed: one sentence
  };
  Status status() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::monitor
