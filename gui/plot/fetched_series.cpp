// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/trace.h"

#include <algorithm>
#include <limits>

namespace mpm::gui {
namespace {

using monitor::kAllResolutions;
using monitor::lengthMs;
using monitor::Resolution;

Resolution coarser(Resolution resolution) {
  return kAllResolutions[std::min(static_cast<std::size_t>(resolution) + 1,
                                  kAllResolutions.size() - 1)];
}

Resolution fittingResolution(const TimeScale& scale) {
  const std::int64_t span = scale.toUtcMs - scale.fromUtcMs;
  for (auto i = kAllResolutions.size(); i-- > 1;)
    if (span / lengthMs(kAllResolutions[i]) >= scale.columns / 2) return kAllResolutions[i];
  return Resolution::second;
}

/// Whether a coarser resolution shows more of the window's past.
bool cutsShort(const SeriesSource& source, Resolution resolution, std::int64_t fromUtcMs) {
  const auto oldest = source.oldestUtcMs(resolution);
  if (oldest && *oldest <= fromUtcMs) return false;
  for (const Resolution other : kAllResolutions) {
    if (other <= resolution) continue;
    const auto before = source.oldestUtcMs(other);
    // A bucket begins before its first frame: less than its length is no more past.
    if (before && (!oldest || *before + lengthMs(other) <= *oldest)) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<const FetchedSeries> fetchSeries(SeriesSource& source, const QStringList& metrics,
                                                 Resolution resolution, std::int64_t fromUtcMs,
                                                 std::int64_t toUtcMs) {
  auto fetched = std::make_shared<FetchedSeries>();
  const std::int64_t length = lengthMs(resolution);
  const std::int64_t room = std::max(toUtcMs - fromUtcMs, 2 * length);
  fetched->resolution = resolution;
  fetched->fromUtcMs = fromUtcMs - room;
  fetched->toUtcMs = toUtcMs + room;
  for (const QString& metric : metrics)
    fetched->lines.emplace_back(
        source.buckets(metric, resolution, fetched->fromUtcMs, fetched->toUtcMs), length);
  // A whole day's most frequent light is not its light.
  if (!fetched->lines.empty() && resolution != Resolution::day)
    fetched->light = lightSpans(fetched->lines.front().buckets(), length);
  return fetched;
}

Resolution resolutionFor(const SeriesSource& source, const TimeScale& scale) {
  Resolution resolution = fittingResolution(scale);
  while (resolution != Resolution::day && cutsShort(source, resolution, scale.fromUtcMs))
    resolution = coarser(resolution);
  return resolution;
}

}  // namespace mpm::gui
