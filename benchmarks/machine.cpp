// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <fstream>

namespace mpm::bench {
namespace {

// A field of a file of "name: value" lines; empty where there is none.
std::string field(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.rfind(name, 0) != 0 || colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

double statusBytes(const char* name) {
  const std::string text = field("/proc/self/status", name);
  return text.empty() ? -1 : std::stod(text) * 1024;
}

}  // namespace

std::string processorName() {
  const std::string name = field("/proc/cpuinfo", "model name");
  return name.empty() ? "unknown processor" : name;
}

std::string loadedBlas() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos && line.find("blas", path) != std::string::npos) {
      return line.substr(path);
    }
  }
  return "";
}

double peakGrowth(const std::function<void()>& call) {
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak to what is resident now
  const double before = statusBytes("VmRSS");
  call();
  const double peak = statusBytes("VmHWM");
  return before < 0 || peak < 0 ? -1 : peak - before;
}

}  // namespace mpm::bench
