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

/// Settings of a run's frames that may change during the run. Only values with equal settings can
/// be compared.
struct Way {
  std::string schedule = "none";  ///< as Schedule::text has it
  bool filtered = false;          ///< not the source's own pictures, but darkened ones
  bool memory = false;            ///< with a scene memory
  std::string view{};  ///< of a camera that was moved, as its event says; empty: the first
  bool operator==(const Way&) const = default;
};

/// Events that change it: kScheduleEvent, named after the new schedule; kFilterEvent and
/// kMemoryEvent, named kOn or anything else; kViewEvent, named after the view, kHomeView for the
/// first.
constexpr const char *kScheduleEvent = "schedule", *kFilterEvent = "filter",
                     *kMemoryEvent = "memory", *kOn = "on", *kViewEvent = "view",
                     *kHomeView = "first";
bool changesWay(const Event& event);
Way changed(Way way, const Event& event);

/// A stretch of a run, from <= time < to, both as an era and milliseconds of UTC in it.
struct Stretch {
  std::pair<std::int32_t, std::int64_t> from, to;
};

/// Finds where a run that began in the way `first` went the way `wanted`; its beginning and end
/// have no border. `events` are all of the run, in order. `memoryMatters` is false for values that
/// do not depend on a memory.
std::vector<Stretch> stretchesOf(const Way& wanted, Way first, const std::vector<Event>& events,
                                 bool memoryMatters);

/// Tells whether all frames of a run's bucket are in one of the stretches.
bool isWithin(const std::vector<Stretch>& stretches, const Bucket& bucket, Resolution resolution);

/// Returns the buckets of a run with all frames in one of the stretches.
std::deque<Bucket> bucketsWithin(const std::vector<Stretch>& stretches,
                                 const std::deque<Bucket>& buckets, Resolution resolution);

/// A metric by day and at night.
struct DayNight {
  /// Means of single days and single nights: each counts once, however many frames it has.
  Running days, nights;
  Running dayFrames, nightFrames;  ///< frames that know it, of buckets that are day or night
  Running betweenFrames;           ///< the same of dusk and transition, which are neither
};

/// Computes `days` and `nights` from buckets in the order in which they were opened. Night means
/// the states night and infrared. Dusk, transition and no signal are neither and end nothing: a
/// night lasts until day, or until 12 hours have passed without night. Days and nights below a
/// tenth of the longest of their kind are left out: a lamp that fails for a minute makes no night.
/// A length is a number of buckets of one resolution.
///
/// A period that began before the buckets, or in a break longer than its visible part, does not
/// count. One that may still continue, or ended in such a break, has to be half as long as the
/// longest whole one. That one is of its kind or, if there is none, of the other.
///
/// `runs` are the buckets where another run begins. Within a run, a set clock ends no night, since
/// nobody knows how much time passed; between runs only the clocks count.
DayNight dayNightOf(const std::deque<Bucket>& buckets, std::size_t metric,
                    const std::set<std::size_t>& runs = {});

/// Tells whether buckets of this resolution show days and nights, or a finer one is needed: they
/// must be enough, and most must have one light. Seconds are always accepted.
bool tellsDayNight(const std::deque<Bucket>& buckets, Resolution resolution);

/// How much nights differ from days on average, and how certain that is.
struct NightsAgainstDays {
  double difference = 0;  ///< nights less days; 0 where there is no more than sums round away
  double interval = 0;    ///< the true difference is within difference ± interval 19 times in 20
  bool differ() const;    ///< 0 is outside: more than chance
};

/// Runs Welch's t test on the means of nights and days, two-sided, 95%. It does not use frames:
/// those of one night look alike, and thousands say no more about the next than their mean. Returns
/// std::nullopt for fewer than two nights or two days.
std::optional<NightsAgainstDays> nightsAgainstDays(const DayNight& figures);

}  // namespace mpm::monitor
