// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace mpm::monitor {
namespace {

// Rounds down, also before 1970.
std::int64_t startOf(std::int64_t utcMs, std::int64_t lengthMs) {
  const std::int64_t rest = utcMs % lengthMs;
  return utcMs - (rest < 0 ? rest + lengthMs : rest);
}

bool isBefore(const Bucket& bucket, const std::pair<std::int32_t, std::int64_t>& place) {
  return std::pair(bucket.era, bucket.startUtcMs) < place;
}

// Cells have equal relative width, as in Masson, Rim, Lee: DDSketch (2019). Cell i has the values
// above f^(i-1) up to f^i, and stands for the one with equal relative distance from both.
constexpr double kFactor = 1.02;  // 0.99% to either border
constexpr double kZero = 1e-9;

int placeOf(double magnitude) {
  static const double perLog = 1 / std::log(kFactor);
  return static_cast<int>(std::ceil(std::log(magnitude) * perLog));
}

double valueOf(int place) {
  static const double log = std::log(kFactor), middle = std::log(2 / (1 + kFactor));
  return std::min(std::exp(place * log + middle), std::numeric_limits<double>::max());
}

// Finds the first cell at `place` or after it. Usually almost no cell before it is missing.
template <typename Cells>
auto firstFrom(Cells& cells, int place) {
  if (cells.empty() || place <= cells.front().place) return cells.begin();
  if (place > cells.back().place) return cells.end();
  const auto size = static_cast<std::ptrdiff_t>(cells.size());
  const std::ptrdiff_t missing = cells.back().place - cells.front().place + 1 - size;
  const std::ptrdiff_t most = place - cells.front().place;  // where it is if none is missing
  return std::lower_bound(cells.begin() + std::max<std::ptrdiff_t>(0, most - missing),
                          cells.begin() + std::min(size, most + 1), place,
                          [](const auto& cell, int wanted) { return cell.place < wanted; });
}

}  // namespace

std::int64_t lengthMs(Resolution resolution) {
  constexpr std::array<std::int64_t, 4> kLengths{1000, 60000, 3600000, 86400000};
  return kLengths[static_cast<std::size_t>(resolution)];
}

void Tally::add(const Tally& other) {
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

double Tally::mean() const {
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

double Tally::deviation() const {
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  const double rest = squares - sum * (sum / count);
  return std::sqrt(std::max(0.0, rest) / (count - 1));
}

LightState Bucket::light() const {
  const auto most = std::max_element(frames.begin(), frames.end());
  return kAllLightStates[static_cast<std::size_t>(most - frames.begin())];
}

Series::Series(std::size_t metrics, const SeriesLimits& limits)
    : metrics_(metrics), limits_(limits) {
  for (std::size_t& most : limits_.buckets) most = std::max<std::size_t>(1, most);
}

void Series::add(const Figures& figures) {
  if (figures.values.size() != metrics_) {
    throw std::invalid_argument("a series of " + std::to_string(metrics_) +
                                " metrics takes as many figures, not " +
                                std::to_string(figures.values.size()));
  }
  for (const Resolution resolution : kAllResolutions) {
    Bucket& bucket = bucketAt(resolution, figures.taken);
    ++bucket.frames[static_cast<std::size_t>(figures.light)];
    for (std::size_t metric = 0; metric < metrics_; ++metric) {
      bucket.tallies[metric].add(figures.values[metric]);
    }
  }
}

Bucket& Series::bucketAt(Resolution resolution, const Moment& taken) {
  const auto index = static_cast<std::size_t>(resolution);
  Level& level = levels_[index];
  auto& buckets = level.buckets;
  const std::pair key(taken.era, startOf(taken.utcMs, lengthMs(resolution)));
  auto found = buckets.end();
  while (found != buckets.begin() && !isBefore(*std::prev(found), key)) --found;
  auto place = static_cast<std::size_t>(found - buckets.begin());
  if (found == buckets.end() || std::pair(found->era, found->startUtcMs) != key) {
    const bool isGone = place == 0 && buckets.size() == limits_.buckets[index];
    if (!isGone) {
      place = open(level, limits_.buckets[index], place);
      std::tie(buckets[place].era, buckets[place].startUtcMs) = key;
    }
  }
  level.untold = std::max(level.untold, buckets.size() - place);
  return buckets[place];
}

// Opens a bucket before that at `place`, dropping the oldest if needed. Returns its index.
std::size_t Series::open(Level& level, std::size_t most, std::size_t place) {
  auto& buckets = level.buckets;
  Bucket bucket;
  if (buckets.size() == most) {
    bucket.tallies = std::move(buckets.front().tallies);
    buckets.pop_front();
    --place;
    level.untold = std::min(level.untold, buckets.size());
  }
  bucket.tallies.assign(metrics_, Tally());
  if (buckets.size() - place < level.untold) ++level.untold;
  buckets.insert(buckets.begin() + static_cast<std::ptrdiff_t>(place), std::move(bucket));
  return place;
}

const std::deque<Bucket>& Series::buckets(Resolution resolution) const {
  return levels_[static_cast<std::size_t>(resolution)].buckets;
}

std::vector<Series::Changed> Series::takeChanged() {
  std::vector<Changed> changed;
  for (const Resolution resolution : kAllResolutions) {
    Level& level = levels_[static_cast<std::size_t>(resolution)];
    for (std::size_t i = level.buckets.size() - level.untold; i < level.buckets.size(); ++i) {
      changed.push_back({resolution, level.buckets[i]});
    }
    level.untold = 0;
  }
  return changed;
}

void Sketch::count(Cells& cells, int place) {
  const auto found = firstFrom(cells, place);
  if (found != cells.end() && found->place == place) {
    ++found->count;
  } else if (cells.size() < kCells) {
    cells.insert(found, {place, 1});
  } else if (found == cells.begin()) {
    ++found->count;  // smaller than all: put together with the smallest
  } else {
    const std::uint64_t smallest = cells.front().count;
    std::move(cells.begin() + 1, found, cells.begin());
    *(found - 1) = {place, 1};
    cells.front().count += smallest;
  }
}

void Sketch::add(double value) {
  if (!std::isfinite(value)) return;
  ++count_;
  if (std::abs(value) < kZero) {
    ++zeros_;
  } else {
    count(value > 0 ? positive_ : negative_, placeOf(std::abs(value)));
  }
}

double Sketch::quantile(double share) const {
  if (count_ == 0 || std::isnan(share)) return std::numeric_limits<double>::quiet_NaN();
  // Treats a product that misses an integer only by rounding as that integer.
  const double wanted = std::ceil(share * static_cast<double>(count_) * (1 - 1e-15));
  std::uint64_t left = wanted <= 1 ? 1 : static_cast<std::uint64_t>(std::min(wanted, 1e18));
  left = std::min(left, count_);
  for (auto cell = negative_.rbegin(); cell != negative_.rend(); ++cell) {
    if (left <= cell->count) return -valueOf(cell->place);
    left -= cell->count;
  }
  if (left <= zeros_) return 0;
  left -= zeros_;
  for (const Cell& cell : positive_) {
    if (left <= cell.count) return valueOf(cell.place);
    left -= cell.count;
  }
  return valueOf(positive_.back().place);
}

}  // namespace mpm::monitor
