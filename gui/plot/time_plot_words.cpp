// SPDX-License-Identifier: Apache-2.0
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <optional>

#include "gui/plot/axes.h"
#include "gui/plot/colours.h"
#include "gui/plot/csv_writer.h"
#include "gui/plot/time_plot.h"

namespace mpm::gui {
namespace {

struct Stretch {
  std::size_t begin, end;
};

/// Buckets of one line that touch the window, run by run.
std::vector<Stretch> within(const GroupedSeries& line, const TimeWindow& window) {
  std::vector<Stretch> stretches;
  for (const GroupedSeries::Run& run : line.runs()) {
    const Stretch stretch{line.firstFrom(run, window.from() - line.lengthMs() + 1),
                          line.firstFrom(run, window.to())};
    if (stretch.begin < stretch.end) stretches.push_back(stretch);
  }
  return stretches;
}

PlotTable::Key keyOf(const PlotBucket& bucket) {
  return {bucket.run, bucket.era, bucket.startUtcMs};
}

std::int64_t startOf(const PlotTable::Key& key) { return key[2]; }

const PlotBucket* bucketAt(const GroupedSeries& line, const PlotTable::Key& key) {
  for (const GroupedSeries::Run& run : line.runs()) {
    const std::size_t place = line.firstFrom(run, startOf(key));
    if (place < run.end && keyOf(line.buckets()[place]) == key) return &line.buckets()[place];
  }
  return nullptr;
}

std::vector<PlotTable::Key> keysOf(const FetchedSeries& series, const TimeWindow& window) {
  std::vector<PlotTable::Key> keys;
  if (series.lines.empty()) return keys;
  const GroupedSeries& line = series.lines.front();
  for (const Stretch& stretch : within(line, window))
    for (std::size_t i = stretch.begin; i < stretch.end; ++i)
      keys.push_back(keyOf(line.buckets()[i]));
  return keys;
}

Extent inWindow(const GroupedSeries& line, const TimeWindow& window) {
  Extent all;
  for (const Stretch& stretch : within(line, window))
    all.add(line.over(stretch.begin, stretch.end));
  return all;
}

bool showsSeconds(std::int64_t lengthMs) { return lengthMs < 60'000; }

}  // namespace

bool TimePlot::hasPoints(const FetchedSeries& series) const {
  return std::any_of(series.lines.begin(), series.lines.end(),
                     [&](const GroupedSeries& line) { return inWindow(line, window_).count > 0; });
}

QString TimePlot::emptySentence() const {
  if (!source_ || lines_.empty()) return tr("Nothing is being measured.");
  const bool any = std::any_of(
      monitor::kAllResolutions.begin(), monitor::kAllResolutions.end(),
      [this](monitor::Resolution resolution) { return source_->oldestUtcMs(resolution); });
  if (!any) return tr("Nothing has been measured yet: figures appear with the first frames.");
  return tr("Nothing was measured from %1 to %2.")
      .arg(momentText(window_.from(), false, zone_, locale()),
           momentText(window_.to(), false, zone_, locale()));
}

QString TimePlot::summary() const {
  const FetchedSeries* series = fetched();
  if (series == nullptr || !hasPoints(*series)) return emptySentence();
  QStringList parts;
  for (std::size_t i = 0; i < series->lines.size(); ++i) {
    const Extent all = inWindow(series->lines[i], window_);
    if (all.count == 0) {
      parts.append(tr("%1: nothing").arg(lines_[i].title));
      continue;
    }
    parts.append(tr("%1: %2 on average, from %3 to %4")
                     .arg(lines_[i].title, valueText(all.mean(), unit_, locale()),
                          valueText(all.smallest, unit_, locale()),
                          valueText(all.largest, unit_, locale())));
  }
  return tr("%1 to %2: %3.")
      .arg(momentText(window_.from(), false, zone_, locale()),
           momentText(window_.to(), false, zone_, locale()), parts.join(tr("; ")));
}

PlotTable::Contents TimePlot::contents() const {
  PlotTable::Contents made;
  made.headers << tr("Time") << tr("Light");
  for (const Line& line : lines_)
    made.headers << tr("%1, mean").arg(line.title) << tr("%1, smallest").arg(line.title)
                 << tr("%1, largest").arg(line.title) << tr("%1, values").arg(line.title);
  if (fetched() == nullptr) return made;
  made.rows = keysOf(*fetched_, window_);
  made.cell = [series = fetched_, keys = made.rows, zone = zone_, locale = locale()](
                  int row, int column) -> PlotTable::Cell {
    const PlotTable::Key key = keys[static_cast<std::size_t>(row)];
    const GroupedSeries& first = series->lines.front();
    if (column == 0)
      return {momentText(startOf(key), showsSeconds(first.lengthMs()), zone, locale), {}};
    const GroupedSeries& line =
        column < 2 ? first : series->lines[static_cast<std::size_t>(column - 2) / 4];
    const PlotBucket* bucket = bucketAt(line, key);
    if (bucket == nullptr) return {};
    if (column == 1) return {lightTitle(bucket->light), {}};
    const int part = (column - 2) % 4;
    if (part == 3) return {locale.toString(bucket->count), bucket->count};
    if (bucket->count == 0) return {};
    const double value = part == 0 ? bucket->mean : part == 1 ? bucket->smallest : bucket->largest;
    return {locale.toString(value, 'f', decimalsFor(value)), value};
  };
  return made;
}

bool TimePlot::exportCsv(QIODevice& device) const {
  CsvWriter csv(device);
  for (const char* header : {"start_utc", "seconds", "era", "light"}) csv.cell(QString(header));
  for (const Line& line : lines_)
    for (const char* part : {"mean", "smallest", "largest", "count"})
      csv.cell(line.metric + '.' + part);
  csv.cell(QStringLiteral("run")).endLine();
  const FetchedSeries* series = fetched();
  if (series == nullptr) return csv.finish();
  std::int64_t runs = 0;  // so far
  std::optional<std::int64_t> last;
  for (const PlotTable::Key& key : keysOf(*series, window_)) {
    const GroupedSeries& first = series->lines.front();
    const PlotBucket& shown = *bucketAt(first, key);
    if (last != shown.run) ++runs;
    last = shown.run;
    csv.time(shown.startUtcMs).cell(first.lengthMs() / 1000).cell(std::int64_t{shown.era});
    csv.cell(monitor::nameOf(shown.light));
    for (const GroupedSeries& line : series->lines) {
      const PlotBucket* bucket = bucketAt(line, key);
      const bool known = bucket != nullptr && bucket->count > 0;
      for (const double value : {known ? bucket->mean : NAN, known ? bucket->smallest : NAN,
                                 known ? bucket->largest : NAN})
        csv.cell(value);
      csv.cell(std::int64_t{known ? bucket->count : 0});
    }
    csv.cell(runs).endLine();
  }
  return csv.finish();
}

}  // namespace mpm::gui
