// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>
#include <string>

#ifdef MPM_SANITIZE_ADDRESS
// AddressSanitizer holds freed memory back, up to 256 MB of it, which would count as grown.
extern "C" __attribute__((used, weak, visibility("default"))) const char* __asan_default_options() {
  return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}
#endif

namespace mpm::test {

// Where the system gives out huge pages unasked, memory grows by 2 MB for a few bytes. From before
// main() on, this process gets small ones. A kernel that cannot do that has none to give.
inline const bool kSmallPages = prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0;

/// Memory of a process that is in use, in MB; of this one where none is named.
inline double residentMb(pid_t id = getpid()) {
  std::ifstream status("/proc/" + std::to_string(id) + "/statm");
  double total = 0, resident = 0;
  status >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

}  // namespace mpm::test
