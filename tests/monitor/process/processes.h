// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "monitor/says.h"

namespace mpm::test {

/// Fields of /proc/PID/stat from the third on: state, parent, group, session; empty: no process.
inline std::string statOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(") ");
  return end == std::string::npos ? std::string() : text.substr(end + 2);
}

/// Whether it is there and not a zombie that its parent has not asked about.
inline bool isAlive(pid_t pid) {
  const std::string stat = statOf(std::to_string(pid));
  return !stat.empty() && stat[0] != 'Z' && stat[0] != 'X';
}

/// What a file of /proc/ID says.
inline std::string processFile(pid_t id, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(id) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Processes whose parent is this one, zombies too; of any name, or of this one.
inline std::vector<pid_t> processesOf(pid_t parent, const std::string& name = "") {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string id = entry.path().filename().string();
    std::istringstream fields(statOf(id));
    std::string state;
    pid_t itsParent = 0;
    if (!(fields >> state >> itsParent) || itsParent != parent) continue;
    const auto pid = static_cast<pid_t>(std::stol(id));
    if (name.empty() || processFile(pid, "comm") == name + "\n") found.push_back(pid);
  }
  return found;
}
inline int childrenOf(pid_t parent) { return static_cast<int>(processesOf(parent).size()); }
inline std::vector<pid_t> readersOf(pid_t parent) { return processesOf(parent, "mpm-reader"); }
inline std::vector<pid_t> readersHere() { return readersOf(getpid()); }

/// How many entries a folder of this process in /proc has: "fd", "task".
inline std::size_t processEntries(const std::string& folder) {
  const std::filesystem::directory_iterator all("/proc/self/" + folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}
inline std::size_t openDescriptors() { return processEntries("fd"); }

/// What a program wrote, once it wrote a whole line.
inline std::string lineOf(const std::string& path) {
  std::string line;
  eventually([&] {
    std::ifstream file(path);
    return std::getline(file, line) && !file.eof();
  });
  return line;
}

}  // namespace mpm::test
