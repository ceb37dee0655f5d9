// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "monitor/eventually.h"

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

/// Processes whose parent is this one, zombies too.
inline int childrenOf(pid_t parent) {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::istringstream fields(statOf(entry.path().filename().string()));
    std::string state;
    pid_t itsParent = 0;
    if (fields >> state >> itsParent && itsParent == parent) ++count;
  }
  return count;
}

inline std::ptrdiff_t openDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

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
