// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "monitor/statistics/statistics.h"

namespace mpm::monitor {

/// A metric by day and at night.
struct DayNight {
  /// Means of single days and single nights: each counts once, however many frames it has.
  Running days, nights;
  /// All frames. May be empty where `days` and `nights` are not.
  Running dayFrames, nightFrames;
};

/// `days` and `nights` from buckets in the order in which they were opened. Night: the states night
/// and infrared. Dusk, transition and no signal are neither, and end nothing: a night goes on until
/// day, or until 12 hours have passed without it. Days and nights with less than a tenth of the
/// frames of the longest of their kind are left out: a lamp that fails for a minute is no night.
DayNight dayNightOf(const std::deque<Bucket>& buckets, std::size_t metric);

/// From hours; from minutes or seconds where a scene runs so fast that there are hardly any.
DayNight dayNightOf(const Statistics& statistics, std::size_t metric);

/// Fewer buckets than that are too few to find days and nights in: the next finer resolution is
/// asked then. 0 for seconds.
std::size_t leastForDayNight(Resolution resolution);

/// What a night's mean lies above a day's, and how sure that is.
struct NightsAgainstDays {
  double difference = 0;  ///< nights less days
  double interval = 0;    ///< the true difference is within difference ± interval 19 times in 20
  bool differ() const;    ///< 0 is outside: more than chance
};

/// Welch's t test of the means of nights and days, both sides, 95%: not over frames, since frames
/// of one night look alike, so that thousands of them say no more about the next night than its
/// mean does. Nothing with fewer than two nights or two days.
std::optional<NightsAgainstDays> nightsAgainstDays(const DayNight& figures);

}  // namespace mpm::monitor
