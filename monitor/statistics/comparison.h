// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/statistics/statistics.h"

namespace mpm::monitor {

/// How frames of a run come to their figures, as far as that may change while it goes on: figures
/// of one way alone can be compared.
struct Way {
  std::string schedule = "none";  ///< as Schedule::text has it
  bool filtered = false;          ///< not the source's own pictures, but darkened ones
  bool memory = false;            ///< with a scene memory
  std::string view{};  ///< of a camera that was moved, as its event says; empty: the first
  bool operator==(const Way&) const = default;
};

/// Events that change it: of the kind kScheduleEvent, whose name is the schedule from then on;
/// kFilterEvent and kMemoryEvent, whose name is kOn or anything else; kViewEvent, whose name is the
/// view, kHomeView the first.
constexpr const char *kScheduleEvent = "schedule", *kFilterEvent = "filter",
                     *kMemoryEvent = "memory", *kOn = "on", *kViewEvent = "view",
                     *kHomeView = "first";
bool changesWay(const Event& event);
Way changed(Way way, const Event& event);

/// A stretch of a run, from <= time < to, both an era and milliseconds of UTC in it.
struct Stretch {
  std::pair<std::int32_t, std::int64_t> from, to;
};

/// Finds where a run that began in the way `first` went the way `wanted`: its beginning and end
/// have no border. `events`: all of the run, in their order. `memoryMatters`: false for figures
/// that do not depend on a memory.
std::vector<Stretch> stretchesOf(const Way& wanted, Way first, const std::vector<Event>& events,
                                 bool memoryMatters);

/// Says whether all frames of a run's bucket are in one of the stretches.
bool isWithin(const std::vector<Stretch>& stretches, const Bucket& bucket, Resolution resolution);

/// Those of a run's buckets all of whose frames are in one of the stretches.
std::deque<Bucket> bucketsWithin(const std::vector<Stretch>& stretches,
                                 const std::deque<Bucket>& buckets, Resolution resolution);

/// A metric by day and at night.
struct DayNight {
  /// Means of single days and single nights: each counts once, however many frames it has.
  Running days, nights;
  Running dayFrames, nightFrames;  ///< frames that know it, of buckets that are day or night
  Running betweenFrames;           ///< the same of dusk and transition, which are neither
};

/// `days` and `nights` from buckets in the order in which they were opened. Night: the states night
/// and infrared. Dusk, transition and no signal are neither, and end nothing: a night goes on until
/// day, or until 12 hours have passed without it. Days and nights of less than a tenth of the
/// longest of their kind are left out: a lamp that fails for a minute is no night. A length is a
/// number of buckets, which are of one resolution.
///
/// A period that began before the buckets, or in a break longer than what is there of it, is none
/// either. One that may still go on, or ended in such a break, counts once it is half as long as
/// the longest whole one, of its kind or else of the other.
///
/// `runs`: at which buckets another run begins. Within a run a clock that is set ends no night,
/// since nobody knows how much time has passed; from one run to the next the clocks alone tell.
DayNight dayNightOf(const std::deque<Bucket>& buckets, std::size_t metric,
                    const std::set<std::size_t>& runs = {});

/// Says whether days and nights are found in buckets of this resolution, or the next finer one has
/// to be asked: there are enough of them, and most have one light. Seconds are always taken.
bool tellsDayNight(const std::deque<Bucket>& buckets, Resolution resolution);

/// Says how far a night's mean lies above a day's, and how sure that is.
struct NightsAgainstDays {
  double difference = 0;  ///< nights less days; 0 where there is no more than sums round away
  double interval = 0;    ///< the true difference is within difference ± interval 19 times in 20
  bool differ() const;    ///< 0 is outside: more than chance
};

/// Welch's t test of the means of nights and days, both sides, 95%: not over frames, since frames
/// of one night look alike, so that thousands of them say no more about the next night than its
/// mean does. Nothing with fewer than two nights or two days.
std::optional<NightsAgainstDays> nightsAgainstDays(const DayNight& figures);

}  // namespace mpm::monitor
