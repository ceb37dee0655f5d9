// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "gui/plot/day_night_sentence.h"

namespace mpm::gui {
namespace {

using monitor::LightState;

constexpr std::int64_t kLongestBreakMs = 12 * 3'600'000;
constexpr double kLeastShare = 0.1;  // of the longest one's frames

struct Period {
  bool night = false;
  std::int64_t lastUtcMs = 0;
  std::int32_t era = 0;
  double frames = 0;
  monitor::Tally rows;
};

double framesOfLongest(const std::vector<Period>& periods, bool night) {
  double most = 0;
  for (const Period& period : periods)
    if (period.night == night) most = std::max(most, period.frames);
  return most;
}

std::vector<Period> periodsOf(const std::deque<monitor::Bucket>& buckets, std::size_t metric) {
  std::vector<Period> periods;
  for (const monitor::Bucket& bucket : buckets) {
    const LightState light = bucket.light();
    const bool night = light == LightState::night || light == LightState::infrared;
    if (metric >= bucket.tallies.size() || (!night && light != LightState::day)) continue;
    const monitor::Tally& tally = bucket.tallies[metric];
    if (tally.count == 0) continue;
    // Over a set clock nobody knows how much time has passed: what goes on goes on.
    const bool on = !periods.empty() && periods.back().night == night &&
                    (periods.back().era != bucket.era ||
                     bucket.startUtcMs - periods.back().lastUtcMs <= kLongestBreakMs);
    if (!on) periods.emplace_back().night = night;
    Period& period = periods.back();
    period.lastUtcMs = bucket.startUtcMs;
    period.era = bucket.era;
    period.frames += tally.count;
    period.rows.add(tally);
  }
  return periods;
}

/// What was too short is gone, and what it had parted is one again.
std::vector<Period> withoutShort(const std::vector<Period>& periods) {
  const double day = framesOfLongest(periods, false), night = framesOfLongest(periods, true);
  std::vector<Period> kept;
  const Period* last = nullptr;
  for (const Period& period : periods) {
    if (period.frames < kLeastShare * (period.night ? night : day)) continue;
    const bool parted = last != nullptr && last + 1 != &period && last->night == period.night;
    if (parted) {
      kept.back().rows.add(period.rows);
      kept.back().frames += period.frames;
    } else {
      kept.push_back(period);
    }
    last = &period;
  }
  return kept;
}

}  // namespace

DayNight dayNightOf(const std::deque<monitor::Bucket>& buckets, std::size_t metric) {
  DayNight figures;
  for (const Period& period : withoutShort(periodsOf(buckets, metric)))
    (period.night ? figures.nights : figures.days).add(period.rows.mean());
  return figures;
}

}  // namespace mpm::gui
