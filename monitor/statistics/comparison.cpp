// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/comparison.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace mpm::monitor {

Way changed(Way way, const Event& event) {
  if (event.kind == kScheduleEvent) way.schedule = event.name;
  if (event.kind == kFilterEvent) way.filtered = event.name == kOn;
  if (event.kind == kMemoryEvent) way.memory = event.name == kOn;
  if (event.kind == kViewEvent) way.view = event.name == kHomeView ? "" : event.name;
  return way;
}

bool changesWay(const Event& event) {
  return event.kind == kScheduleEvent || event.kind == kFilterEvent || event.kind == kMemoryEvent ||
         event.kind == kViewEvent;
}

std::vector<Stretch> stretchesOf(const Way& wanted, Way first, const std::vector<Event>& events,
                                 bool memoryMatters) {
  if (!memoryMatters) first.memory = wanted.memory;
  constexpr std::pair kBegin{std::numeric_limits<std::int32_t>::min(),
                             std::numeric_limits<std::int64_t>::min()};
  constexpr std::pair kEnd{std::numeric_limits<std::int32_t>::max(),
                           std::numeric_limits<std::int64_t>::max()};
  std::vector<Stretch> stretches;
  if (first == wanted) stretches.push_back({kBegin, kEnd});
  for (const Event& event : events) {
    if (!memoryMatters && event.kind == kMemoryEvent) continue;
    const Way next = changed(first, event);
    if (next == first) continue;
    const std::pair at(event.at.era, event.at.utcMs);
    if (first == wanted) stretches.back().to = at;
    if (next == wanted) stretches.push_back({at, kEnd});
    first = next;
  }
  return stretches;
}

bool isWithin(const std::vector<Stretch>& stretches, const Bucket& bucket, Resolution resolution) {
  const std::pair from(bucket.era, bucket.startUtcMs);
  const std::pair to(bucket.era, bucket.startUtcMs + lengthMs(resolution));
  return std::any_of(stretches.begin(), stretches.end(), [&](const Stretch& stretch) {
    return stretch.from <= from && to <= stretch.to;
  });
}

std::deque<Bucket> bucketsWithin(const std::vector<Stretch>& stretches,
                                 const std::deque<Bucket>& buckets, Resolution resolution) {
  std::deque<Bucket> within;
  std::copy_if(buckets.begin(), buckets.end(), std::back_inserter(within),
               [&](const Bucket& bucket) { return isWithin(stretches, bucket, resolution); });
  return within;
}

}  // namespace mpm::monitor
