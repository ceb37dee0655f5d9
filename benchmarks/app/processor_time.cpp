// SPDX-License-Identifier: Apache-2.0
#include "processor_time.h"

#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace mpm::bench {

namespace {

double usedMs(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

}  // namespace

double threadMs() { return usedMs(CLOCK_THREAD_CPUTIME_ID); }

double processMs() { return usedMs(CLOCK_PROCESS_CPUTIME_ID); }

double qtPoolMs() {
  double ms = 0;
  std::error_code fault;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", fault)) {
    std::ifstream name(task.path() / "comm"), use(task.path() / "schedstat");
    std::string words;
    std::getline(name, words);
    double nanoseconds = 0;
    if (words.rfind("Thread (pooled", 0) == 0 && use >> nanoseconds) ms += nanoseconds / 1e6;
  }
  return ms;
}

double residentMb() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

}  // namespace mpm::bench
