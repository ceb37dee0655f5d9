// SPDX-License-Identifier: Apache-2.0
#include "gui/app/past_runs.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>
#include <limits>
#include <string>
#include <utility>

#include "monitor/record/record_reader.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::array<std::int64_t, kComparedResolutions.size()> kKeptMs{900'000, 7 * kDayMs,
                                                                        366 * kDayMs};

// Records of earlier versions have the schedule as "2, 5", and no device.
PastRun runOf(const monitor::RecordedRun& recorded) {
  const QJsonObject settings =
      QJsonDocument::fromJson(QByteArray::fromStdString(recorded.facts.settings)).object();
  const QJsonValue merges = settings["merge_before"];
  QStringList blocks;
  for (const QJsonValue& block : merges.toArray()) blocks << QString::number(block.toInt());
  const QString schedule =
      merges.isString() ? merges.toString().remove(' ') : blocks.join(QLatin1Char(','));
  PastRun run;
  run.begunUtcMs = recorded.facts.begun.utcMs;
  run.model = QString::fromStdString(recorded.facts.model);
  run.modelHash = QString::fromStdString(recorded.facts.modelHash);
  run.precision = settings["precision"].toString();
  run.device = settings["device"].toString();
  run.first.schedule = schedule.isEmpty() ? "none" : schedule.toStdString();
  return run;
}

}  // namespace

std::vector<PastRun> readPastRuns(const WatchedRun& wanted) {
  const std::int64_t now = monitor::systemClock().now().utcMs;
  const std::string source = wanted.source.toStdString();
  const monitor::RecordReader reader(wanted.record.toStdString());
  std::vector<PastRun> runs;
  for (const monitor::RecordedRun& recorded : reader.runs(source)) {
    PastRun& run = runs.emplace_back(runOf(recorded));
    for (monitor::Event& event : reader.events(source, 0, kEver, recorded.id)) {
      if (event.kind == monitor::kScheduleEvent || event.kind == monitor::kFilterEvent)
        run.events.push_back(std::move(event));
    }
    if (run.modelHash != wanted.modelHash || run.precision != wanted.precision ||
        run.device != wanted.device)
      continue;
    for (std::size_t i = 0; i < kComparedResolutions.size(); ++i) {
      for (monitor::Bucket& bucket :
           reader.buckets(source, kComparedResolutions[i], now - kKeptMs[i], kEver,
                          {kComparedMetrics.begin(), kComparedMetrics.end()}, false, recorded.id))
        run.buckets[i].push_back(std::move(bucket));
    }
  }
  return runs;
}

}  // namespace mpm::gui
