// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/day_night.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kLongestBreakMs = 12 * 3'600'000;
constexpr double kLeastShare = 0.1, kLeastShareOfLast = 0.5;  // of the longest one's frames
// Of a figure: what sums of a day's frames round away lies far below, what can be seen far above.
constexpr double kRounding = 1e-9;
constexpr double kPure = 0.8;  // of a bucket's frames: they are of one light

struct Period {
  bool night = false;
  int stretch = 0;  // of periods with no break between them
  std::int64_t lastUtcMs = 0;
  std::optional<std::int64_t> earlierRunUtcMs;  // when a run ended in it
  std::int32_t era = 0;
  double frames = 0;  // all, also those that do not know the metric
  Tally rows;
  // Of buckets that know it, each with all of its frames: where few of them count, as with a
  // memory, a minute weighs what it did without.
  double sum = 0, weight = 0;

  void add(const Period& other) {
    frames += other.frames;
    rows.add(other.rows);
    sum += other.sum;
    weight += other.weight;
  }
  double mean() const { return sum / weight; }
};

// Whether no break lies between a period and what comes next.
bool goesOn(const Period& period, const Bucket& bucket, bool isOfAnotherRun) {
  const auto isNear = [&](std::int64_t utcMs) {
    return std::abs(bucket.startUtcMs - utcMs) <= kLongestBreakMs;
  };
  if (isOfAnotherRun) return isNear(period.lastUtcMs);
  if (period.era == bucket.era) return bucket.startUtcMs - period.lastUtcMs <= kLongestBreakMs;
  return !period.earlierRunUtcMs || isNear(*period.earlierRunUtcMs);
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
    } else if (isOfAnotherRun) {
      periods.back().earlierRunUtcMs = periods.back().lastUtcMs;
    }
    isOfAnotherRun = false;
    Period& period = periods.back();
    period.lastUtcMs = bucket.startUtcMs;
    period.era = bucket.era;
    period.frames += frames;
    if (tally.count == 0) continue;
    period.rows.add(tally);
    period.sum += tally.sum * (frames / tally.count);
    period.weight += frames;
  }
  return periods;
}

double framesOfLongest(const std::vector<Period>& periods, bool night) {
  double most = 0;
  for (const Period& period : periods)
    if (period.night == night) most = std::max(most, period.frames);
  return most;
}

/// What was too short is gone, and what it had parted is one again.
std::vector<Period> withoutShort(const std::vector<Period>& periods) {
  const double day = framesOfLongest(periods, false), night = framesOfLongest(periods, true);
  std::vector<Period> kept;
  const Period* last = nullptr;
  for (const Period& period : periods) {
    if (period.frames < kLeastShare * (period.night ? night : day)) continue;
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

/// Without the last one, where it has just begun.
std::vector<Period> whole(std::vector<Period> periods) {
  if (periods.empty()) return periods;
  const Period last = periods.back();
  periods.pop_back();
  const double alike = framesOfLongest(periods, last.night);
  const double least = alike > 0 ? alike : framesOfLongest(periods, !last.night);
  if (last.frames >= kLeastShareOfLast * least) periods.push_back(last);
  return periods;
}

Running runningOf(const Tally& tally) {
  const double squares = tally.squares - tally.sum * tally.mean();
  return {tally.count, tally.mean(), std::max(0.0, squares), tally.smallest, tally.largest};
}

/// What Student's t exceeds, in size, once in 20.
double studentLimit(double degrees) {
  static constexpr std::array kLimits{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                      2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                      2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                      2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  // Between two of them a straight line lies above the curve, which is the careful side.
  const double place = std::max(1.0, degrees) - 1;
  const auto whole = static_cast<std::size_t>(place);
  if (whole + 1 >= kLimits.size()) return kLimits.back();
  return kLimits[whole] +
         (place - static_cast<double>(whole)) * (kLimits[whole + 1] - kLimits[whole]);
}

}  // namespace

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
