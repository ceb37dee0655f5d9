// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "monitor/clock/event.h"
#include "monitor/statistics/series.h"

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

/// Where a run that began in the way `first` went the way `wanted`: its beginning and its end have
/// no border. `events`: all of the run, in their order. `memoryMatters`: false for figures that do
/// not depend on a memory.
std::vector<Stretch> stretchesOf(const Way& wanted, Way first, const std::vector<Event>& events,
                                 bool memoryMatters);

/// Whether all frames of a run's bucket are in one of the stretches.
bool isWithin(const std::vector<Stretch>& stretches, const Bucket& bucket, Resolution resolution);

/// Those of a run's buckets all of whose frames are in one of the stretches.
std::deque<Bucket> bucketsWithin(const std::vector<Stretch>& stretches,
                                 const std::deque<Bucket>& buckets, Resolution resolution);

}  // namespace mpm::monitor
