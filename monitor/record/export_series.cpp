// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "monitor/record/export_range.h"
#include "monitor/record/export_table.h"
#include "monitor/record/iso_time.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kBucketsAtOnce = 900;

// Some at a time, in order; gaps are jumped over, however long.
void visit(const RecordReader& record, const ExportRange& range, Resolution resolution,
           const std::vector<std::string>& metrics,
           const std::function<void(const Bucket&)>& show) {
  const std::int64_t span = kBucketsAtOnce * lengthMs(resolution);
  std::int64_t fromMs = range.fromUtcMs;
  while (const auto firstMs = record.firstBucket(range.source, resolution, fromMs)) {
    if (*firstMs >= range.toUtcMs) return;
    const std::int64_t endMs = *firstMs < range.toUtcMs - span ? *firstMs + span : range.toUtcMs;
    std::vector<Bucket> buckets =
        record.buckets(range.source, resolution, *firstMs, endMs, metrics);
    std::stable_sort(buckets.begin(), buckets.end(), [](const Bucket& a, const Bucket& b) {
      return std::pair(a.startUtcMs, a.era) < std::pair(b.startUtcMs, b.era);
    });
    for (const Bucket& bucket : buckets) show(bucket);
    fromMs = endMs;
  }
}

std::optional<double> ifAny(const Tally& tally, double value) {
  return tally.count > 0 ? std::optional(value) : std::nullopt;
}

void seriesCsv(const Bucket& bucket, CsvLine& line, std::ostream& out) {
  line.add(isoUtc(bucket.startUtcMs)).add(bucket.startUtcMs).add(std::int64_t{bucket.era});
  line.add(nameOf(bucket.light()));
  for (const std::uint32_t frames : bucket.frames) line.add(std::int64_t{frames});
  for (const Tally& tally : bucket.tallies) {
    line.add(std::int64_t{tally.count}).add(decimal(tally.mean())).add(decimal(tally.deviation()));
    line.add(decimal(ifAny(tally, tally.smallest))).add(decimal(ifAny(tally, tally.largest)));
  }
  line.writeTo(out);
}

JsonLine seriesJson(const Bucket& bucket, const std::vector<std::string>& metrics) {
  JsonLine frames, figures, line;
  for (const LightState state : kAllLightStates) {
    frames.add(nameOf(state), std::int64_t{bucket.frames[static_cast<std::size_t>(state)]});
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Tally& tally = bucket.tallies[i];
    JsonLine figure;
    figure.add("count", std::int64_t{tally.count}).addReal("mean", tally.mean());
    figure.addReal("deviation", tally.deviation());
    figure.addReal("min", ifAny(tally, tally.smallest));
    figure.addReal("max", ifAny(tally, tally.largest));
    figures.addRaw(metrics[i], figure.text());
  }
  line.add("time", isoUtc(bucket.startUtcMs)).add("utc_ms", bucket.startUtcMs);
  line.add("era", std::int64_t{bucket.era}).add("light", nameOf(bucket.light()));
  line.addRaw("frames", frames.text()).addRaw("metrics", figures.text());
  return line;
}

void seriesNames(const std::vector<std::string>& metrics, CsvLine& line, std::ostream& out) {
  line.add("time").add("utc_ms").add("era").add("light");
  for (const LightState state : kAllLightStates) line.add("frames." + std::string(nameOf(state)));
  for (const std::string& name : metrics) {
    for (const char* figure : {".count", ".mean", ".deviation", ".min", ".max"}) {
      line.add(name + figure);
    }
  }
  line.writeTo(out);
}

}  // namespace

const char* nameOf(Resolution resolution) {
  constexpr std::array<const char*, 4> kNames{"second", "minute", "hour", "day"};
  return kNames.at(static_cast<std::size_t>(resolution));
}

void exportSeries(const RecordReader& record, const ExportRange& range, Resolution resolution,
                  const std::vector<std::string>& metrics, ExportFormat format, std::ostream& out) {
  checkRange(record, range);
  const std::vector<std::string> names = chosenMetrics(record, range.source, metrics);
  if (format == ExportFormat::csv) {
    CsvLine line;
    seriesNames(names, line, out);
    visit(record, range, resolution, names,
          [&](const Bucket& bucket) { seriesCsv(bucket, line, out); });
    checkWritten(out.flush());
  } else {
    JsonLine head;
    head.add("source", range.source).add("resolution", nameOf(resolution));
    head.add("length_ms", lengthMs(resolution));
    head.addRaw("metrics", nlohmann::json(names).dump(-1, ' ', false,
                                                      nlohmann::json::error_handler_t::replace));
    JsonList list(out, head, "buckets");
    visit(record, range, resolution, names,
          [&](const Bucket& bucket) { list.add(seriesJson(bucket, names)); });
    list.end();
  }
}

}  // namespace mpm::monitor
