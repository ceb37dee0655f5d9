// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader_children.h"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace mpm::test {
namespace {

struct Stat {
  std::string name;
  char state = 'X';  // of a process that is not there
  pid_t parent = 0;
};

Stat statOf(pid_t id) {
  const std::string text = processFile(id, "stat");
  const std::size_t open = text.find('('), close = text.rfind(')');
  Stat stat;
  if (open == std::string::npos || close == std::string::npos) return stat;
  stat.name = text.substr(open + 1, close - open - 1);
  std::istringstream(text.substr(close + 1)) >> stat.state >> stat.parent;
  return stat;
}

}  // namespace

std::vector<pid_t> readersOf(pid_t parent) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    pid_t id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc()) continue;
    const Stat stat = statOf(id);
    if (stat.parent == parent && stat.name == "mpm-reader") found.push_back(id);
  }
  return found;
}

std::vector<pid_t> readersHere() { return readersOf(getpid()); }

bool isAlive(pid_t id) {
  const char state = statOf(id).state;
  return state != 'X' && state != 'Z';
}

std::string processFile(pid_t id, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(id) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t processEntries(const std::string& folder) {
  const std::filesystem::directory_iterator begin("/proc/self/" + folder);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

}  // namespace mpm::test
