// SPDX-License-Identifier: Apache-2.0
#include "mpm/tune.h"
#include "tune/schedules.h"

namespace mpm {
namespace {

// Merging has to be surely faster, or there is no reason to merge.
bool counts(const TunedSchedule& one) { return one.close && one.ratioHigh < 1; }

bool fasterOf(const TunedSchedule& a, const TunedSchedule& b) {
  if (a.ms != b.ms) return a.ms < b.ms;
  if (a.agreement != b.agreement) return a.agreement > b.agreement;
  return tune::simpler(a.schedule, b.schedule);
}

bool nearerOf(const TunedSchedule& a, const TunedSchedule& b) {
  if (a.agreement != b.agreement) return a.agreement > b.agreement;
  return fasterOf(a, b);
}

}  // namespace

const TunedSchedule& fastestThatAgrees(const Tuning& tuning, double agreement) {
  const TunedSchedule* best = &tuning.full;
  for (const TunedSchedule& one : tuning.schedules) {
    if (counts(one) && one.agreement >= agreement && fasterOf(one, *best)) best = &one;
  }
  return *best;
}

const TunedSchedule* bestThatReaches(const Tuning& tuning, double framesPerSecond) {
  const double mostMs = 1000 / framesPerSecond;
  const TunedSchedule* best = tuning.full.ms <= mostMs ? &tuning.full : nullptr;
  for (const TunedSchedule& one : tuning.schedules) {
    if (!counts(one) || one.ms > mostMs) continue;
    if (best == nullptr || nearerOf(one, *best)) best = &one;
  }
  return best;
}

}  // namespace mpm
