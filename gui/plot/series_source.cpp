// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/series_source.h"

#include <cmath>

namespace mpm::gui {

PlotBucket plotBucket(const monitor::Bucket& bucket, std::size_t metric) {
  PlotBucket made;
  made.startUtcMs = bucket.startUtcMs;
  made.era = bucket.era;
  made.light = bucket.light();
  if (metric >= bucket.tallies.size()) return made;
  const monitor::Tally& tally = bucket.tallies[metric];
  if (tally.count == 0 || !std::isfinite(tally.smallest) || !std::isfinite(tally.largest) ||
      !std::isfinite(tally.mean()))
    return made;
  made.count = tally.count;
  made.mean = tally.mean();
  made.smallest = tally.smallest;
  made.largest = tally.largest;
  return made;
}

}  // namespace mpm::gui
