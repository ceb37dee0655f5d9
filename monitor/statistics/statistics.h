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
/// Returns 1000, 60 000, 3 600 000 or 86 400 000. Buckets begin at multiples of it, in UTC.
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

// Inline, since it runs four times for every metric of every frame.
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

/// Number of buckets in memory, at least one; older ones are only in the record.
struct SeriesLimits {
  std::array<std::size_t, 4> buckets{900, 1440, 24 * 31, 366};
};

/// Values of a source over time, in all resolutions at once. The limits bound its memory; a wall
/// clock that is set back opens new buckets in a new era and loses none. Every bucket equals, to
/// the bit, the result of adding its frames one after the other.
///
/// A frame belongs to the bucket of its era and time, whatever the order of frames. If the wall
/// clock was slewed back over a border, that is an earlier bucket. A bucket that was dropped is not
/// reopened, since it would replace a complete one in a record. Its late frame counts in the oldest
/// bucket.
class Series {
 public:
  explicit Series(std::size_t metrics, const SeriesLimits& limits = {});

  void add(const Figures& figures);  ///< std::invalid_argument: not a value for each metric

  /// Ordered by era and time, as frames came; the last one may still be open.
  const std::deque<Bucket>& buckets(Resolution resolution) const;

  struct Changed {
    Resolution resolution;
    Bucket bucket;
  };
  /// Returns copies of all buckets changed since the last call, including open ones. Storing them
  /// under (resolution, era, start) keeps everything. Buckets that exceeded the limits before the
  /// call are lost.
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

/// Returns how many rows of a frame are prefix tokens (class tokens, registers), from its merging:
/// rows `before` all merges and `live` after them, and the merged share of the picture's tokens.
/// std::nullopt if none merged, or that is unknown.
inline std::optional<double> specialRows(double before, double live, double mergedShare) {
  if (!(mergedShare > 0) || !std::isfinite(before) || !std::isfinite(live)) return std::nullopt;
  return std::round(before - (before - live) / mergedShare);
}

/// Takes a bucket whose frames all have as many.
inline std::optional<double> specialRows(const Tally& before, const Tally& live,
                                         const Tally& mergedShare) {
  return specialRows(before.mean(), live.mean(), mergedShare.mean());
}

/// Returns the tally of the same values, each less by `amount`.
inline Tally lessBy(Tally tally, double amount) {
  const double count = tally.count;
  tally.squares += amount * (amount * count - 2 * tally.sum);
  tally.sum -= amount * count;
  tally.smallest -= amount;
  tally.largest -= amount;
  return tally;
}

/// Count, mean and deviation of values that are not kept, stable for any number. Updated value by
/// value (Welford 1962) and part by part (Chan, Golub, LeVeque 1979).
class Running {
 public:
  Running() = default;
  /// Represents `count` values; `squares` sums the squared distances from the mean.
  Running(std::uint64_t count, double mean, double squares, double smallest, double largest)
      : count_(count), mean_(mean), squares_(squares), smallest_(smallest), largest_(largest) {}

  /// Ignores NaN and infinities.
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
  /// Returns NaN for no values.
  double mean() const { return count_ > 0 ? mean_ : std::numeric_limits<double>::quiet_NaN(); }

  /// Uses n - 1; NaN for fewer than two values.
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

/// Quantiles of values that are not kept, each right to 1% of its value. Values are counted in
/// cells whose borders grow by a constant factor; anything closer to zero than 1e-9 is zero. Beyond
/// kCells cells on either side of zero, the smallest (by magnitude) are combined. The order of
/// values does not matter.
class Sketch {
 public:
  static constexpr std::size_t kCells = 1024;

  void add(double value);  ///< NaN and infinities do not count

  std::uint64_t count() const { return count_; }
  /// Returns the value that `share` (0 to 1) of all do not exceed; NaN of none.
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

/// Everything seen of one metric in one light state.
struct Distribution {
  Running running;  ///< exact count, mean, deviation, extremes
  Sketch sketch;    ///< quantiles to 1%
};

/// Statistics of a source, with bounded memory. Not for two threads at once.
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
