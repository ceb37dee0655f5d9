// SPDX-License-Identifier: Apache-2.0
// What it takes the GUI's thread to know how nights compare with days, of a record of a year.
#include <QTemporaryDir>
#include <functional>
#include <stdexcept>
#include <vector>

#include "app_bench.h"
#include "gui/app/history.h"
#include "monitor/record/record.h"
#include "paired.h"
#include "processor_time.h"
#include "watched_window.h"

namespace mpm::bench {
namespace {

constexpr double kGoalMs = 50;
constexpr int kTimes = 21, kPatienceMs = 60000, kFlushMs = 600000;
constexpr std::int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs, kDayMs = 24 * kHourMs;

// Days of twelve hours, and nights in which fewer tokens merge.
std::vector<monitor::Series::Changed> bucketsOf(monitor::Resolution resolution,
                                                std::int64_t fromUtcMs, std::int64_t toUtcMs) {
  const std::int64_t lengthMs = monitor::lengthMs(resolution);
  std::vector<monitor::Series::Changed> buckets;
  for (std::int64_t at = fromUtcMs / lengthMs * lengthMs; at + lengthMs < toUtcMs; at += lengthMs) {
    const bool isNight = at % kDayMs >= kDayMs / 2;
    const double live = (isNight ? 676 : 639) + static_cast<double>(at / lengthMs % 7);
    monitor::Bucket bucket;
    bucket.startUtcMs = at;
    const auto light = isNight ? monitor::LightState::night : monitor::LightState::day;
    bucket.frames[static_cast<std::size_t>(light)] = static_cast<std::uint32_t>(lengthMs / 1000);
    for (const double value : {1025.0, live + 1, 1 - live / 1024, 30.0})
      bucket.tallies.emplace_back().add(value);
    buckets.push_back({resolution, bucket});
  }
  return buckets;
}

void writeYear(const std::string& path, std::int64_t nowUtcMs) {
  monitor::Record record(path);
  monitor::RunFacts facts;
  facts.source = "gate";
  facts.model = facts.modelHash = "a";
  facts.settings = R"({"merge_before":[2,5],"precision":"fp32"})";
  facts.metrics = {"rows.0", "live_rows", "merged_share", "ms.network"};
  facts.begun = {1000, nowUtcMs - 366 * kDayMs, 0, true};
  const std::int64_t run = record.beginRun(facts);
  for (std::int64_t day = 366; day > 0; --day) {
    const std::int64_t from = nowUtcMs - day * kDayMs;
    record.write(run, bucketsOf(monitor::Resolution::hour, from, from + kDayMs + kHourMs));
    if (day > 7) continue;
    record.write(run, bucketsOf(monitor::Resolution::minute, from, from + kDayMs + kMinuteMs));
  }
  if (!record.flush(kFlushMs)) throw std::runtime_error("the record of a year was not written");
}

double medianMs(const std::function<void()>& work) {
  std::vector<double> ms;
  for (int time = 0; time < kTimes; ++time) {
    const double before = threadMs();
    work();
    ms.push_back(threadMs() - before);
  }
  return median(ms);
}

}  // namespace

void benchNights(Report& report) {
  WatchedWindow watched(QStringLiteral("scene:?clock=600x&size=160x120"), false);
  const QTemporaryDir folder;
  const QString path = folder.filePath("year.sqlite");
  const std::int64_t now = monitor::systemClock().now().utcMs;
  writeYear(path.toStdString(), now);
  monitor::PastRun run;
  run.begunUtcMs = now;
  run.model = run.modelHash = "a";
  run.precision = "fp32";
  run.first = {"2,5", false, false, {}};
  gui::DayNightHistory history;
  bool isRead = false;
  QObject::connect(&history, &gui::DayNightHistory::changed, [&] { isRead = true; });
  history.setEngine(watched.engine(), path, "gate", run);
  if (!runUntil([&] { return isRead; }, kPatienceMs) || history.known().tokens.nights.count() < 300)
    throw std::runtime_error("the record of a year was not read");
  report.rows.push_back(below("what nights are known to be, of a year", "50 ms",
                              medianMs([&] { history.known(); }), kGoalMs, "ms"));
  bool isOn = false;
  const double changed = medianMs([&] {
    isOn = !isOn;
    history.hear(
        {monitor::systemClock().now(), monitor::kMemoryEvent, isOn ? monitor::kOn : "off", "", {}});
    history.known();
  });
  report.rows.push_back(
      below("the same where what can be compared has changed", "50 ms", changed, kGoalMs, "ms"));
}

}  // namespace mpm::bench
