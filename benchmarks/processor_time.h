// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <fstream>

namespace mpm::bench {

inline double usedMs(clockid_t clock) {
  std::timespec used{};
  clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// Milliseconds of a core that this thread has used; that all threads of this process have.
inline double threadMs() { return usedMs(CLOCK_THREAD_CPUTIME_ID); }
inline double processMs() { return usedMs(CLOCK_PROCESS_CPUTIME_ID); }

/// Milliseconds that this thread was ready and had no core; 0 where the system does not say.
inline double threadWaitMs() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0, waited = 0;  // nanoseconds
  return file >> ran >> waited ? waited / 1e6 : 0;
}

}  // namespace mpm::bench
