// SPDX-License-Identifier: Apache-2.0
#include "gui/days/day_grid.h"

#include <QDateTime>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "monitor/record/record_reader.h"

namespace mpm::gui {
namespace {

using monitor::Bucket;
using monitor::Resolution;

constexpr int kWholeDays = 92;  // as long a record keeps its minutes
constexpr int kFineParts = 144, kCoarseParts = 24;

struct Sum {
  double values = 0;
  std::uint64_t count = 0;
  double mean() const { return values / static_cast<double>(count); }
};

struct Gathered {
  std::vector<Sum> values;
  std::vector<std::array<std::uint64_t, monitor::kLightStates>> lights;
};

// Each of a run's ways once, but for simulated nights. What a metric does not depend on makes no
// other way.
std::vector<monitor::Way> waysOf(const monitor::PastRun& run, const std::string& metric) {
  const bool memoryMatters = monitor::dependsOnMemory(monitor::MetricName::parse(metric));
  std::vector<monitor::Way> ways;
  const auto add = [&](monitor::Way way) {
    if (!memoryMatters) way.memory = false;
    if (!way.filtered && std::find(ways.begin(), ways.end(), way) == ways.end())
      ways.push_back(way);
  };
  monitor::Way way = run.first;
  add(way);
  for (const monitor::Event& event : run.events) add(way = monitor::changed(way, event));
  return ways;
}

std::vector<QDate> daysUntil(const QDate& newest, int count) {
  std::vector<QDate> days;
  for (int i = 0; i < count; ++i) days.push_back(newest.addDays(-i));
  return days;
}

// Which cell a moment is in; -1: none of them.
std::ptrdiff_t placeOf(const DayGrid& grid, std::int64_t utcMs) {
  const QDateTime local = QDateTime::fromMSecsSinceEpoch(utcMs);
  const auto day = local.date().daysTo(grid.days.front());
  if (day < 0 || day >= std::ssize(grid.days)) return -1;
  return day * grid.parts + local.time().msecsSinceStartOfDay() / 60000 / grid.minutes();
}

// What the record has of a metric in each cell, of all runs and all their ways.
Gathered gather(const std::string& record, const std::string& source, const std::string& metric,
                const DayGrid& grid) {
  Gathered gathered;
  gathered.values.resize(grid.cells.size());
  gathered.lights.resize(grid.cells.size());
  const Resolution resolution = grid.parts == kCoarseParts ? Resolution::hour : Resolution::minute;
  const std::int64_t fromUtcMs = grid.utcMsOf(static_cast<int>(grid.days.size()) - 1, 0);
  const std::int64_t toUtcMs = grid.days.front().addDays(1).startOfDay().toMSecsSinceEpoch();
  const auto add = [&](const Bucket& bucket) {
    const std::ptrdiff_t place = placeOf(grid, bucket.startUtcMs);
    const monitor::Tally& tally = bucket.tallies.at(0);
    if (place < 0 || tally.count == 0) return;
    Sum& sum = gathered.values[static_cast<std::size_t>(place)];
    sum.values += tally.sum;
    sum.count += tally.count;
    for (std::size_t i = 0; i < bucket.frames.size(); ++i)
      gathered.lights[static_cast<std::size_t>(place)][i] += bucket.frames[i];
  };
  const monitor::RecordReader reader(record);
  for (const monitor::PastRun& run : monitor::pastRuns(reader, source)) {
    for (const monitor::Way& way : waysOf(run, metric)) {
      for (const Bucket& bucket :
           bucketsOf(reader, source, run, way, resolution, fromUtcMs, toUtcMs, metric))
        add(bucket);
    }
  }
  return gathered;
}

// Means, times a factor, and the light of most frames.
void fill(DayGrid& grid, const Gathered& gathered, double factor) {
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const Sum& sum = gathered.values[i];
    if (sum.count == 0) continue;
    DayGrid::Cell& cell = grid.cells[i];
    cell.frames = sum.count;
    cell.value = factor * sum.mean();
    const auto& lights = gathered.lights[i];
    cell.light = monitor::kAllLightStates[static_cast<std::size_t>(
        std::max_element(lights.begin(), lights.end()) - lights.begin())];
  }
}

// Days of the end that nothing is known of go.
void dropEmpty(DayGrid& grid) {
  const auto isKnown = [&](int day) {
    const auto row = grid.cells.begin() + day * grid.parts;
    return std::any_of(row, row + grid.parts, [](const auto& cell) { return cell.frames > 0; });
  };
  int count = static_cast<int>(grid.days.size());
  while (count > 0 && !isKnown(count - 1)) --count;
  grid.days.resize(static_cast<std::size_t>(count));
  grid.cells.resize(static_cast<std::size_t>(count * grid.parts));
}

}  // namespace

std::int64_t DayGrid::utcMsOf(int day, int part) const {
  return QDateTime(days[static_cast<std::size_t>(day)], timeOf(part)).toMSecsSinceEpoch();
}

QTime DayGrid::timeOf(int part) const { return QTime(0, 0).addSecs(part * minutes() * 60); }

QStringList dayMetrics(const std::string& record, const std::string& source) {
  const monitor::RecordReader reader(record);
  const auto runs = reader.runs(source);
  QStringList found;
  if (runs.empty()) return found;
  for (const std::string& name : runs.back().facts.metrics) {
    const auto metric = monitor::MetricName::parse(name);
    using enum monitor::MetricKind;
    const bool says = metric.kind == mergedShare || metric.kind == area ||
                      metric.kind == confidence || metric.kind == flicker || metric.kind == luma ||
                      (metric.kind == step && metric.part == "network");
    if (says) found << QString::fromStdString(name);
  }
  return found;
}

DayGrid readDays(const std::string& record, const std::string& source, const QString& metric,
                 int days, std::int64_t nowUtcMs) {
  DayGrid grid;
  grid.days = daysUntil(QDateTime::fromMSecsSinceEpoch(nowUtcMs).date(), days);
  grid.parts = days > kWholeDays ? kCoarseParts : kFineParts;
  grid.cells.resize(grid.days.size() * static_cast<std::size_t>(grid.parts));
  const std::string name = metric.toStdString();
  using enum monitor::MetricKind;
  const auto kind = monitor::MetricName::parse(name).kind;
  const bool isShare =
      kind == mergedShare || kind == area || kind == luma || kind == confidence || kind == flicker;
  fill(grid, gather(record, source, name, grid), isShare ? 100 : 1);
  dropEmpty(grid);
  return grid;
}

}  // namespace mpm::gui
