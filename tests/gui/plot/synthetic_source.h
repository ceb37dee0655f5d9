// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gui/plot/series.h"

namespace mpm::gui::testing {

constexpr std::int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs, kDayMs = 24 * kHourMs;
// 2025-03-03T00:00Z, a Monday.
constexpr std::int64_t kMonday = 1'740'960'000'000;

inline monitor::LightState lightAt(std::int64_t utcMs) {
  using monitor::LightState;
  const double hour = static_cast<double>(utcMs % kDayMs) / kHourMs;
  if (hour >= 7 && hour < 18) return LightState::day;
  if ((hour >= 6.2 && hour < 7) || (hour >= 18 && hour < 18.8)) return LightState::dusk;
  if (hour >= 1 && hour < 4) return LightState::infrared;
  if ((hour >= 6 && hour < 6.2) || (hour >= 18.8 && hour < 19)) return LightState::transition;
  if (hour >= 22 && hour < 22.3) return LightState::noSignal;
  return LightState::night;
}

/// Returns buckets of a camera that watches day and night: `size` by day, less at night.
inline std::vector<PlotBucket> syntheticBuckets(std::int64_t fromUtcMs, std::int64_t toUtcMs,
                                                monitor::Resolution resolution, double size = 437,
                                                unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, size * 0.01);
  const std::int64_t length = monitor::lengthMs(resolution);
  std::vector<PlotBucket> buckets;
  for (std::int64_t start = fromUtcMs / length * length; start < toUtcMs; start += length) {
    const double hour = static_cast<double>(start % kDayMs) / kHourMs;
    const double sun = std::cos((hour - 13) / 24 * 2 * 3.14159265358979);
    PlotBucket bucket;
    bucket.startUtcMs = start;
    bucket.light = lightAt(start + length / 2);
    bucket.count = static_cast<std::uint32_t>(std::max<std::int64_t>(length / 100, 1));
    bucket.mean = size * (1 + 0.03 * sun) + noise(random);
    bucket.smallest = bucket.mean - std::fabs(noise(random)) * 2 - size * 0.005;
    bucket.largest = bucket.mean + std::fabs(noise(random)) * 2 + size * 0.005;
    buckets.push_back(bucket);
  }
  return buckets;
}

/// A source of buckets that a test supplies.
class SyntheticSource : public SeriesSource {
 public:
  using SeriesSource::SeriesSource;

  std::vector<PlotBucket>& at(const QString& metric, monitor::Resolution resolution) {
    return metrics_[metric][static_cast<std::size_t>(resolution)];
  }

  std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                  std::int64_t fromUtcMs, std::int64_t toUtcMs) override {
    ++asked;
    std::vector<PlotBucket> found;
    for (const PlotBucket& bucket : at(metric, resolution))
      if (bucket.startUtcMs >= fromUtcMs && bucket.startUtcMs < toUtcMs) found.push_back(bucket);
    return found;
  }

  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override {
    std::optional<std::int64_t> oldest;
    for (const auto& resolutions : metrics_)
      for (const PlotBucket& bucket : resolutions[static_cast<std::size_t>(resolution)])
        oldest = std::min(oldest.value_or(bucket.startUtcMs), bucket.startUtcMs);
    return oldest;
  }

  int asked = 0;

 private:
  QHash<QString, std::array<std::vector<PlotBucket>, 4>> metrics_;
};

}  // namespace mpm::gui::testing
