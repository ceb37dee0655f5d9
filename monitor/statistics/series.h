// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {

enum class Resolution { second, minute, hour, day };
constexpr std::array<Resolution, 4> kAllResolutions{Resolution::second, Resolution::minute,
                                                    Resolution::hour, Resolution::day};
/// 1000, 60 000, 3 600 000, 86 400 000. Buckets begin at multiples of it, in UTC.
std::int64_t lengthMs(Resolution resolution);

/// What is kept of many values of one metric. NaN and infinities do not count.
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
/// kept any more is not opened anew, since that would take the place of a whole one in a record:
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

}  // namespace mpm::monitor
