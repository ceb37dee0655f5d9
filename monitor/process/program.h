// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace mpm::monitor {

/// Result of starting a program.
struct Started {
  pid_t pid = 0;
  std::string fault;  ///< what the system says; empty: it runs
};

/// Starts a program without a shell, in a new session and process group, with default signals. It
/// reads /dev/null, prints to this process's error output, and inherits only `passed`, as
/// descriptors 3, 4, ... `words` are the program (searched on PATH if it has no slash) and its
/// arguments. `variables` are NAME=VALUE, added to this process's environment or replacing it.
Started startProgram(const std::vector<std::string>& words, const std::vector<int>& passed = {},
                     const std::vector<std::string>& variables = {});

/// Describes an abnormal end from a waitpid status; empty for a normal one.
std::string endingText(int status);

/// Describes an abnormal end; empty for a normal one, std::nullopt while it runs. Kills what it
/// left in its group before its number is reused. Do not call it again after the end.
std::optional<std::string> endingOf(pid_t pid);

/// Sends a signal to its whole group. Call it only while endingOf returns std::nullopt.
void signalGroup(pid_t pid, int signal);

}  // namespace mpm::monitor
