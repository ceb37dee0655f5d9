// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gui/aside.h"
#include "monitor/engine/engine.h"
#include "monitor/record/record_reader.h"
#include "monitor/statistics/comparison.h"
#include "monitor/statistics/statistics.h"

namespace mpm::gui {

constexpr std::int64_t kLookBackMs = 3'600'000;

/// The seconds of the last hour, to ask what a rule would have done.
struct RulePast {
  monitor::Metrics metrics;
  std::vector<std::vector<monitor::Bucket>> runs;  ///< one after the other
};

/// What the engine itself remembers of a source: where a night was simulated, behind it.
inline RulePast pastOf(const monitor::Engine& engine, std::size_t source) {
  RulePast past{engine.metrics(source), {}};
  engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
    const auto& seconds = statistics.series().buckets(monitor::Resolution::second);
    past.runs.emplace_back(seconds.begin(), seconds.end());
  });
  const auto dark = engine.filteredAt(source);
  std::erase_if(past.runs.back(), [&](const monitor::Bucket& second) {
    return dark && std::pair(second.era, second.startUtcMs) <= std::pair(dark->era, dark->utcMs);
  });
  return past;
}

/// Without the frames of simulated nights, in which rules waited. `events`: all of that run.
inline void leaveNightsOut(std::vector<monitor::Bucket>& seconds,
                           std::vector<monitor::Event> events) {
  std::erase_if(events, [](const auto& event) { return event.kind != monitor::kFilterEvent; });
  const auto own = monitor::stretchesOf({}, {}, events, true);
  for (monitor::Bucket& second : seconds) {
    if (!monitor::isWithin(own, second, monitor::Resolution::second)) second.frames = {};
  }
}

/// Without values that were measured elsewhere than in `newest`: a zone was drawn anew since.
inline void leaveOtherPlacesOut(std::vector<monitor::Bucket>& seconds,
                                const monitor::Metrics& metrics, const monitor::PastRun& run,
                                const monitor::PastRun& newest) {
  for (std::size_t i = 0; i < metrics.names().size(); ++i) {
    if (run.hasPlaceOf(newest, monitor::MetricName::parse(metrics.names()[i]))) continue;
    for (monitor::Bucket& second : seconds) second.tallies[i] = {};
  }
}

/// Without what is more than an hour back: where a clock was set back, times of more than an hour
/// lie in the last one. How much time passed while it was set nobody knows; little, within a run.
inline void leaveLongAgoOut(RulePast& past, std::int64_t nowUtcMs) {
  std::int64_t passedMs = 0, laterUtcMs = nowUtcMs;
  for (auto run = past.runs.rbegin(); run != past.runs.rend(); ++run) {
    std::size_t first = run->size();
    for (std::size_t i = run->size(); i-- > 0; first = i) {
      const monitor::Bucket& second = (*run)[i];
      const bool wasSet = i + 1 < run->size() && (*run)[i + 1].era != second.era;
      passedMs += wasSet ? 1000 : std::max<std::int64_t>(0, laterUtcMs - second.startUtcMs);
      if (passedMs > kLookBackMs) break;
      laterUtcMs = second.startUtcMs;
    }
    run->erase(run->begin(), run->begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::erase_if(past.runs, [](const auto& run) { return run.empty(); });
}

/// The same of the record, which knows other runs as well. Throws as RecordReader does.
inline RulePast pastOf(const monitor::RecordReader& record, const std::string& source,
                       const monitor::Metrics& metrics, std::int64_t nowUtcMs) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t from = nowUtcMs - kLookBackMs;
  RulePast past{metrics, {}};
  const std::vector<monitor::RecordedRun> runs = record.runs(source);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i + 1 < runs.size() && runs[i + 1].facts.begun.utcMs <= from) continue;  // it ended then
    auto seconds = record.buckets(source, monitor::Resolution::second, from, kEver, metrics.names(),
                                  runs[i].id);
    if (seconds.empty()) continue;
    leaveNightsOut(seconds, record.events(source, -kEver, kEver, runs[i].id));
    leaveOtherPlacesOut(seconds, metrics, monitor::pastRun(runs[i].facts),
                        monitor::pastRun(runs.back().facts));
    past.runs.push_back(std::move(seconds));
  }
  leaveLongAgoOut(past, nowUtcMs);
  return past;
}

/// Read in a thread of its own and handed to `then`, in `receiver`'s, while that is there. What the
/// engine remembers, where there is no record or it cannot be read.
inline void readPast(QObject* receiver, const std::shared_ptr<monitor::Engine>& engine,
                     std::size_t index, const QString& record, std::function<void(RulePast)> then) {
  RulePast here = pastOf(*engine, index);
  if (record.isEmpty()) return then(std::move(here));
  computeAside(
      receiver,
      [here = std::move(here), file = record.toStdString(), source = engine->source(index).name] {
        try {
          return pastOf(monitor::RecordReader(file), source, here.metrics,
                        monitor::systemClock().now().utcMs);
        } catch (const std::exception&) {
          return here;  // the record's own fault is told elsewhere
        }
      },
      std::move(then));
}

/// For how long no frame has come behind the last run, where that is the engine's: others ended.
inline std::optional<std::int64_t> silenceNow(const RulePast& past, const monitor::Engine& engine,
                                              std::size_t source) {
  if (past.runs.empty() || past.runs.back().empty()) return {};
  const monitor::Bucket& last = past.runs.back().back();
  bool isOwn = false;
  engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
    const auto& own = statistics.series().buckets(monitor::Resolution::second);
    isOwn = std::any_of(own.begin(), own.end(), [&](const monitor::Bucket& second) {
      return second.era == last.era && second.startUtcMs == last.startUtcMs;
    });
  });
  const monitor::CaptureStatus status = engine.capture(source);
  if (!isOwn || status.state == monitor::CaptureState::ended) return {};
  return std::max<std::int64_t>(status.msSinceFrame, 0);
}

}  // namespace mpm::gui
