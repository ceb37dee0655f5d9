// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {

enum class Resolution { second, minute, hour, day };
constexpr std::array<Resolution, 4> kAllResolutions{Resolution::second, Resolution::minute,
                                                    Resolution::hour, Resolution::day};
/// 1000, 60 000, 3 600 000, 86 400 000. Buckets begin at multiples of it, in UTC.
std::int64_t lengthMs(Resolution resolution);

/// Sums up many values of one metric. NaN and infinities do not count.
struct Tally {
  std::uint32_t count = 0;
  double sum = 0, squares = 0;  ///< of the values, and of each times itself
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void add(double value);
  void add(const Tally& other);
  double mean() const;       ///< NaN of none
  double deviation() const;  ///< of the values, n - 1; NaN of fewer than two
  bool operator==(const Tally&) const = default;
};

// Here, since it is done for every metric of every frame four times.
inline void Tally::add(double value) {
  if (!std::isfinite(value)) return;
  ++count;
  sum += value;
  squares += value * value;
  smallest = std::min(smallest, value);
  largest = std::max(largest, value);
}

struct Bucket {
  std::int64_t startUtcMs = 0;
  std::int32_t era = 0;                              ///< of its frames: all have the same
  std::array<std::uint32_t, kLightStates> frames{};  ///< in each light state
  std::vector<Tally> tallies;                        ///< one for each metric
  bool operator==(const Bucket&) const = default;

  LightState light() const;  ///< the state of most frames; of equals the first in the enum
};

/// How many buckets are kept in memory, at least one; older ones are only in the record.
struct SeriesLimits {
  std::array<std::size_t, 4> buckets{900, 1440, 24 * 31, 366};
};

/// A source's figures over time, in all resolutions at once. Memory is bounded by the limits,
/// whatever the time; a wall clock that is set back opens new buckets in a new era and loses none.
/// Every bucket is what adding its frames one after the other gives, to the bit.
///
/// A frame belongs to the bucket of its era and time, in whatever order frames come: where the
/// wall clock was slewed back over a border, that is a bucket before the last one. One that is not
/// kept any more is not opened again, since that would take the place of a whole one in a record:
/// its late frame counts in the oldest bucket there is.
class Series {
 public:
  explicit Series(std::size_t metrics, const SeriesLimits& limits = {});

  void add(const Figures& figures);  ///< std::invalid_argument: not a value for each metric

  /// By era and time, which is the order in which frames came; the last one may still be open.
  const std::deque<Bucket>& buckets(Resolution resolution) const;

  struct Changed {
    Resolution resolution;
    Bucket bucket;
  };
  /// Copies of all buckets that were touched since the last call, open ones included: whoever
  /// stores them again under (resolution, era, start) has everything. What was pushed out of the
  /// limits before it was asked for is lost.
  std::vector<Changed> takeChanged();

 private:
  struct Level {
    std::deque<Bucket> buckets;
    std::size_t untold = 0;  // of the last ones: touched since takeChanged
  };
  Bucket& bucketAt(Resolution resolution, const Moment& taken);
  std::size_t open(Level& level, std::size_t most, std::size_t place);
  std::size_t metrics_;
  SeriesLimits limits_;
  std::array<Level, 4> levels_;
};

/// How many of a frame's rows are no tokens of its picture (class tokens, registers), by what is
/// known of its merging: rows `before` all merges and `live` after them, and which share of the
/// picture's tokens merged. Nothing where none did, or where that is not known.
inline std::optional<double> specialRows(double before, double live, double mergedShare) {
  if (!(mergedShare > 0) || !std::isfinite(before) || !std::isfinite(live)) return std::nullopt;
  return std::round(before - (before - live) / mergedShare);
}

/// Takes a bucket whose frames all have as many.
inline std::optional<double> specialRows(const Tally& before, const Tally& live,
                                         const Tally& mergedShare) {
  return specialRows(before.mean(), live.mean(), mergedShare.mean());
}

/// Gives the tally of the same values, each less by `amount`.
inline Tally lessBy(Tally tally, double amount) {
  const double count = tally.count;
  tally.squares += amount * (amount * count - 2 * tally.sum);
  tally.sum -= amount * count;
  tally.smallest -= amount;
  tally.largest -= amount;
  return tally;
}

/// Count, mean and deviation of values that are not kept, stable whatever their number: brought up
/// to date value by value (Welford 1962) and part by part (Chan, Golub, LeVeque 1979).
class Running {
 public:
  Running() = default;
  /// Stands for `count` values; `squares`: of their distances from the mean.
  Running(std::uint64_t count, double mean, double squares, double smallest, double largest)
      : count_(count), mean_(mean), squares_(squares), smallest_(smallest), largest_(largest) {}

  /// NaN and infinities do not count.
  void add(double value) {
    if (!std::isfinite(value)) return;
    ++count_;
    const double step = value - mean_;
    mean_ += step / static_cast<double>(count_);
    squares_ += step * (value - mean_);
    smallest_ = std::min(smallest_, value);
    largest_ = std::max(largest_, value);
  }

  void add(const Running& other) {
    if (other.count_ == 0) return;
    const auto own = static_cast<double>(count_), others = static_cast<double>(other.count_);
    const double distance = other.mean_ - mean_, total = own + others;
    squares_ += other.squares_ + distance * distance * (own * others / total);
    mean_ += distance * (others / total);
    count_ += other.count_;
    smallest_ = std::min(smallest_, other.smallest_);
    largest_ = std::max(largest_, other.largest_);
  }

  std::uint64_t count() const { return count_; }
  /// NaN of none.
  double mean() const { return count_ > 0 ? mean_ : std::numeric_limits<double>::quiet_NaN(); }

  /// With n - 1; NaN of fewer than two.
  double deviation() const {
    if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(std::max(0.0, squares_) / static_cast<double>(count_ - 1));
  }

  double smallest() const { return smallest_; }
  double largest() const { return largest_; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
};

/// Quantiles of values that are not kept: each is right to 1% of its value. Values are counted in
/// cells whose borders grow by the same factor; what is closer to zero than 1e-9 is zero. At most
/// kCells cells on either side of zero: then the smallest (by magnitude) are put together. In
/// whatever order values are added, it is the same sketch.
class Sketch {
 public:
  static constexpr std::size_t kCells = 1024;

  void add(double value);  ///< NaN and infinities do not count

  std::uint64_t count() const { return count_; }
  /// The value that `share` (0 to 1) of all do not exceed; NaN of none.
  double quantile(double share) const;

 private:
  struct Cell {
    int place;
    std::uint64_t count;
  };
  using Cells = std::vector<Cell>;  // by place
  static void count(Cells& cells, int place);

  Cells positive_, negative_;
  std::uint64_t zeros_ = 0, count_ = 0;
};

/// Everything that was ever seen of one metric in one light state.
struct Distribution {
  Running running;  ///< exact count, mean, deviation, extremes
  Sketch sketch;    ///< quantiles to 1%
};

/// A source's statistics. Its memory does not grow. Not from two threads at once.
class Statistics {
 public:
  explicit Statistics(Metrics metrics, const SeriesLimits& limits = {})
      : metrics_(std::move(metrics)),
        distributions_(metrics_.size()),
        series_(metrics_.size(), limits) {}

  void add(const Figures& figures) {
    series_.add(figures);  // refuses what does not fit, before anything is counted
    const auto light = static_cast<std::size_t>(figures.light);
    ++frames_[light];
    for (std::size_t metric = 0; metric < figures.values.size(); ++metric) {
      Distribution& distribution = distributions_[metric][light];
      distribution.running.add(figures.values[metric]);
      distribution.sketch.add(figures.values[metric]);
    }
  }

  const Metrics& metrics() const { return metrics_; }
  std::uint64_t frames(LightState light) const { return frames_[static_cast<std::size_t>(light)]; }
  const Distribution& of(std::size_t metric, LightState light) const {
    return distributions_.at(metric)[static_cast<std::size_t>(light)];
  }

  Series& series() { return series_; }
  const Series& series() const { return series_; }

 private:
  Metrics metrics_;
  std::array<std::uint64_t, kLightStates> frames_{};
  std::vector<std::array<Distribution, kLightStates>> distributions_;
  Series series_;
};

}  // namespace mpm::monitor
