// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace mpm::monitor {

/// A program as it was started, or why it was not.
struct Started {
  pid_t pid = 0;
  std::string fault;  ///< what the system says; empty: it runs
};

/// Without a shell, in a session and so a process group of its own, with every signal as usual.
/// It reads /dev/null, prints where this process prints errors, and gets no other descriptor but
/// `passed`, as its numbers 3, 4, ... `words`: program (looked for on PATH where it has no
/// slash) and arguments. `variables`: NAME=VALUE, instead of or beside what this process has.
Started startProgram(const std::vector<std::string>& words, const std::vector<int>& passed = {},
                     const std::vector<std::string>& variables = {});

/// Says, by a status as waitpid gives it, how it ended where that was not well, "" where it was.
std::string endingText(int status);

/// Says how it ended where that was not well, "" where it was; nothing: it still runs. What it left
/// in its group is killed with it, before its number is free for others. Not to be asked again.
std::optional<std::string> endingOf(pid_t pid);

/// To its whole group; only while endingOf gave nothing.
void signalGroup(pid_t pid, int signal);

}  // namespace mpm::monitor
