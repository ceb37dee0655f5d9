// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "tune/median.h"

namespace mpm::bench {

struct Paired {
  double oursMs = 0, peerMs = 0;
  double ratio = 0;  ///< median of the ratios of neighbouring runs
};

using tune::median;

template <class Call>
double elapsedMs(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Waiting threads stay awake for some milliseconds (OpenMP's do) and disturb another pool. Each
/// side begins after the other's threads sleep.
inline void letThreadsSleep() { std::this_thread::sleep_for(std::chrono::milliseconds(8)); }

/// Alternates ours and theirs, so that both see the same machine and load. Ends after `runs` pairs
/// or, with at least five, after `budgetMs`.
template <class Ours, class Peer>
Paired measurePaired(const Ours& ours, const Peer& peer, int runs = 101, double budgetMs = 4000) {
  for (int warmUp = 0; warmUp < 2; ++warmUp) ours(), peer();
  std::vector<double> oursMs, peerMs, ratios;
  double spent = 0;
  for (int run = 0; run < runs && (run < 5 || spent < budgetMs); ++run) {
    letThreadsSleep();
    ours();  // once untimed: the other side left the caches cold, and the threads sleep
    oursMs.push_back(elapsedMs(ours));
    letThreadsSleep();
    peer();
    peerMs.push_back(elapsedMs(peer));
    ratios.push_back(oursMs.back() / peerMs.back());
    spent += oursMs.back() + peerMs.back();
  }
  return {median(oursMs), median(peerMs), median(ratios)};
}

inline double usedMs(clockid_t clock) {
  std::timespec used{};
  clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// Return milliseconds of processor time of this thread, and of the whole process.
inline double threadMs() { return usedMs(CLOCK_THREAD_CPUTIME_ID); }
inline double processMs() { return usedMs(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace mpm::bench
