// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/machine.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/version.hpp>
#include <sstream>

#include "cli/wording.h"

namespace mpm::cli {
namespace {

// A field of a file of "name: value" or name="value" lines; empty where there is none.
std::string field(const char* path, const std::string& name, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find(separator);
    if (!line.starts_with(name) || end == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", end + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    if (first != std::string::npos && first <= last) return line.substr(first, last + 1 - first);
  }
  return "";
}

}  // namespace

std::string nameOf(const Machine& machine) {
  return (machine.device.empty() ? "" : machine.device + ", ") + machine.processor + ", " +
         countText(machine.threads, "thread");
}

nlohmann::ordered_json machineJson(const Machine& machine) {
  nlohmann::ordered_json json = {{"processor", machine.processor},
                                 {"cores", machine.cores},
                                 {"memory_gib", rounded(machine.memoryGiB)},
                                 {"system", machine.system},
                                 {"opencv", CV_VERSION}};
  if (!machine.device.empty()) json["device"] = machine.device;
  return json;
}

Machine thisMachine(const std::string& device, int threads) {
  Machine machine;
  machine.device = device;
  machine.threads = threads;
  machine.processor = field("/proc/cpuinfo", "model name", ':');
  if (machine.processor.empty()) machine.processor = field("/proc/cpuinfo", "Model", ':');  // Arm
  if (machine.processor.empty()) machine.processor = "unknown processor";
  machine.cores = std::max(1, cv::getNumberOfCPUs());
  std::istringstream kibibytes(field("/proc/meminfo", "MemTotal", ':'));
  double number = 0;
  if (kibibytes >> number) machine.memoryGiB = number / (1 << 20);
  machine.system = field("/etc/os-release", "PRETTY_NAME", '=');
  return machine;
}

}  // namespace mpm::cli
