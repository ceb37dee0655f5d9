// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kLongestBreakMs = 12 * 3'600'000;
constexpr double kLeastShare = 0.1, kLeastShareOfLast = 0.5;  // of the longest one's length
// A share of a value: rounding in sums of a day's frames is far below, real differences far above.
constexpr double kRounding = 1e-9;
constexpr double kPure = 0.8;  // of a bucket's frames: they are of one light

struct Period {
  bool night = false;
  int stretch = 0;                    // of periods with no break between them
  std::size_t first = 0, last = 0;    // of its buckets
  bool begins = false, ends = false;  // in the buckets, and not before or after them
  std::int64_t lastUtcMs = 0;
  std::optional<std::int64_t> earlierRunUtcMs;  // when a run ended in it
  std::int32_t era = 0;
  // Counts buckets with frames, even if they lack the metric: time in which something was seen.
  // Frames are no measure, since a camera's rate may change from ten a second to one in two.
  double length = 0;
  Tally rows;
  // These cover buckets with the metric, weighted by all their frames. A minute in which few frames
  // count, as with a memory, keeps its weight.
  double sum = 0, weight = 0;

  void add(const Period& other) {
    length += other.length;
    rows.add(other.rows);
    sum += other.sum;
    weight += other.weight;
    ends = other.ends;
  }
  bool isWhole() const { return begins && ends; }
  double mean() const { return sum / weight; }
};

// Tells whether no break separates a period from what comes next.
bool goesOn(const Period& period, const Bucket& bucket, bool isOfAnotherRun) {
  const auto isNear = [&](std::int64_t utcMs) {
    return std::abs(bucket.startUtcMs - utcMs) <= kLongestBreakMs;
  };
  if (isOfAnotherRun) return isNear(period.lastUtcMs);
  if (period.era == bucket.era) return bucket.startUtcMs - period.lastUtcMs <= kLongestBreakMs;
  return !period.earlierRunUtcMs || isNear(*period.earlierRunUtcMs);
}

// Returns the time that has passed at each bucket, if known: a set clock makes it unknown.
std::vector<std::int64_t> passedMs(const std::deque<Bucket>& buckets,
                                   const std::set<std::size_t>& runs) {
  std::vector<std::int64_t> passed(buckets.size());
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    const bool isKnown = runs.contains(i) || buckets[i].era == buckets[i - 1].era;
    const std::int64_t ms = buckets[i].startUtcMs - buckets[i - 1].startUtcMs;
    passed[i] = passed[i - 1] + (isKnown ? std::abs(ms) : 0);
  }
  return passed;
}

// Finds which periods begin and end in the buckets: another light is adjacent, and the time in
// between that is unknown is no longer than the period.
void findEnds(const std::deque<Bucket>& buckets, const std::set<std::size_t>& runs,
              std::vector<Period>& periods) {
  const std::vector<std::int64_t> passed = passedMs(buckets, runs);
  std::int64_t shortest = kLongestBreakMs;
  for (std::size_t i = 1; i < passed.size(); ++i)
    if (passed[i] > passed[i - 1]) shortest = std::min(shortest, passed[i] - passed[i - 1]);
  // Excludes unknown light: before it has settled, without a signal, or by brightness alone.
  const auto tells = [&](std::size_t i) {
    const LightState light = buckets[i].light();
    return light == LightState::day || light == LightState::dusk || isNight(light);
  };
  for (std::size_t i = 0; i < periods.size(); ++i) {
    Period& period = periods[i];
    const std::int64_t most = std::max(passed[period.last] - passed[period.first], shortest);
    std::size_t before = period.first, after = period.last + 1;
    while (before > 0 && !tells(before - 1)) --before;
    if (before > 0) {
      const LightState light = buckets[before - 1].light();
      const bool isOther = light == LightState::dusk || isNight(light) != period.night;
      period.begins = isOther && passed[period.first] - passed[before - 1] <= most;
    }
    if (i + 1 == periods.size() || periods[i + 1].stretch != period.stretch) continue;
    while (!tells(after)) ++after;
    period.ends = passed[after] - passed[period.last] <= most;
  }
}

std::vector<Period> periodsOf(const std::deque<Bucket>& buckets, std::size_t metric,
                              const std::set<std::size_t>& runs) {
  std::vector<Period> periods;
  bool isOfAnotherRun = false;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const Bucket& bucket = buckets[i];
    isOfAnotherRun = isOfAnotherRun || runs.contains(i);
    const LightState light = bucket.light();
    const bool night = isNight(light);
    if (metric >= bucket.tallies.size() || (!night && light != LightState::day)) continue;
    const Tally& tally = bucket.tallies[metric];
    const double frames = std::accumulate(bucket.frames.begin(), bucket.frames.end(), 0.0);
    const bool on = !periods.empty() && goesOn(periods.back(), bucket, isOfAnotherRun);
    if (!on || periods.back().night != night) {
      const int stretch = periods.empty() ? 0 : periods.back().stretch + (on ? 0 : 1);
      periods.emplace_back().stretch = stretch;
      periods.back().night = night;
      periods.back().first = i;
    } else if (isOfAnotherRun) {
      periods.back().earlierRunUtcMs = periods.back().lastUtcMs;
    }
    isOfAnotherRun = false;
    Period& period = periods.back();
    period.last = i;
    period.lastUtcMs = bucket.startUtcMs;
    period.era = bucket.era;
    if (frames > 0) ++period.length;
    if (tally.count == 0) continue;
    period.rows.add(tally);
    period.sum += tally.sum * (frames / tally.count);
    period.weight += frames;
  }
  findEnds(buckets, runs, periods);
  return periods;
}

template <class Counts>
double lengthOfLongest(const std::vector<Period>& periods, bool night, const Counts& counts) {
  double most = 0;
  for (const Period& period : periods)
    if (period.night == night && counts(period)) most = std::max(most, period.length);
  return most;
}

// Removes short periods and joins the parts around them. The length of the first period in a
// stretch is unknown if it does not begin there.
std::vector<Period> withoutShort(const std::vector<Period>& periods) {
  const auto any = [](const Period&) { return true; };
  const double day = lengthOfLongest(periods, false, any);
  const double night = lengthOfLongest(periods, true, any);
  std::vector<Period> kept;
  const Period* last = nullptr;
  for (const Period& period : periods) {
    const bool isFirst = &period == &periods.front() || (&period)[-1].stretch != period.stretch;
    const bool isShort = period.length < kLeastShare * (period.night ? night : day);
    if (isShort && (period.begins || !isFirst)) continue;
    const bool parted = last != nullptr && last + 1 != &period && last->night == period.night &&
                        last->stretch == period.stretch;
    if (parted) {
      kept.back().add(period);
    } else {
      kept.push_back(period);
    }
    last = &period;
  }
  return kept;
}

// Keeps periods that begin in the buckets, and end there or have most of a whole one's length.
std::vector<Period> whole(std::vector<Period> periods) {
  const auto isWhole = [](const Period& period) { return period.isWhole(); };
  const double day = lengthOfLongest(periods, false, isWhole);
  const double night = lengthOfLongest(periods, true, isWhole);
  std::erase_if(periods, [&](const Period& period) {
    if (!period.begins || period.ends) return !period.begins;
    const double alike = period.night ? night : day, other = period.night ? day : night;
    const double length = alike > 0 ? alike : other;
    return length == 0 || period.length < kLeastShareOfLast * length;
  });
  return periods;
}

Running runningOf(const Tally& tally) {
  const double squares = tally.squares - tally.sum * tally.mean();
  return {tally.count, tally.mean(), std::max(0.0, squares), tally.smallest, tally.largest};
}

// Returns the size that Student's t exceeds once in 20.
double studentLimit(double degrees) {
  static constexpr std::array kLimits{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                      2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                      2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                      2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  // A straight line between two of them lies above the curve, which is the safe side.
  const double place = std::max(1.0, degrees) - 1;
  const auto whole = static_cast<std::size_t>(place);
  if (whole + 1 >= kLimits.size()) return kLimits.back();
  return kLimits[whole] +
         (place - static_cast<double>(whole)) * (kLimits[whole + 1] - kLimits[whole]);
}

}  // namespace

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

DayNight dayNightOf(const std::deque<Bucket>& buckets, std::size_t metric,
                    const std::set<std::size_t>& runs) {
  DayNight figures;
  const std::vector<Period> periods = periodsOf(buckets, metric, runs);
  const auto isKnown = [](const Period& period) { return period.rows.count > 0; };
  for (const Period& period : whole(withoutShort(periods)))
    if (isKnown(period)) (period.night ? figures.nights : figures.days).add(period.mean());
  for (const Period& period : periods)
    if (isKnown(period))
      (period.night ? figures.nightFrames : figures.dayFrames).add(runningOf(period.rows));
  for (const Bucket& bucket : buckets) {
    const LightState light = bucket.light();
    if (light != LightState::dusk && light != LightState::transition) continue;
    if (metric < bucket.tallies.size() && bucket.tallies[metric].count > 0)
      figures.betweenFrames.add(runningOf(bucket.tallies[metric]));
  }
  return figures;
}

bool tellsDayNight(const std::deque<Bucket>& buckets, Resolution resolution) {
  if (resolution == Resolution::second) return true;
  const auto isPure = [](const Bucket& bucket) {
    const double all = std::accumulate(bucket.frames.begin(), bucket.frames.end(), 0.0);
    return *std::max_element(bucket.frames.begin(), bucket.frames.end()) >= kPure * all;
  };
  const auto pure = std::count_if(buckets.begin(), buckets.end(), isPure);
  return buckets.size() >= (resolution == Resolution::minute ? 30 : 24) &&
         2 * static_cast<std::size_t>(pure) > buckets.size();
}

bool NightsAgainstDays::differ() const { return std::fabs(difference) > interval; }

std::optional<NightsAgainstDays> nightsAgainstDays(const DayNight& figures) {
  if (figures.days.count() < 2 || figures.nights.count() < 2) return std::nullopt;
  const auto part = [](const Running& running) {
    return running.deviation() * running.deviation() / static_cast<double>(running.count());
  };
  const double a = part(figures.days), b = part(figures.nights);
  const double day = figures.days.mean(), night = figures.nights.mean();
  NightsAgainstDays found{night - day, 0};
  if (std::fabs(found.difference) <= kRounding * std::max(std::fabs(day), std::fabs(night))) {
    found.difference = 0;
  }
  if (a + b <= 0) return found;
  const auto freedom = [](double variance, const Running& running) {
    return variance * variance / static_cast<double>(running.count() - 1);
  };
  const double degrees =
      (a + b) * (a + b) / (freedom(a, figures.days) + freedom(b, figures.nights));
  found.interval = studentLimit(degrees) * std::sqrt(a + b);
  return found;
}

}  // namespace mpm::monitor
