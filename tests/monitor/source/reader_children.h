// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace mpm::test {

/// The processes of mpm-reader that a process has as children, ended and not waited for included.
std::vector<pid_t> readersOf(pid_t parent);
/// The same of this process.
std::vector<pid_t> readersHere();
/// Whether there is such a process, and it has not ended.
bool isAlive(pid_t id);
/// What a file of /proc/ID says.
std::string processFile(pid_t id, const std::string& name);
/// How many entries a folder of this process in /proc has: "fd", "task".
std::size_t processEntries(const std::string& folder);

}  // namespace mpm::test
