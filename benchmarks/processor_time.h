// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace mpm::bench {

inline double usedMs(clockid_t clock) {
  std::timespec used{};
  clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// Milliseconds of a core that this thread has used; that all threads of this process have.
inline double threadMs() { return usedMs(CLOCK_THREAD_CPUTIME_ID); }
inline double processMs() { return usedMs(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace mpm::bench
