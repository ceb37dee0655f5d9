// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/past_runs.h"
#include "gui/plot/time_plot.h"
#include "monitor/engine/engine.h"
#include "monitor/statistics/day_night.h"

namespace mpm::gui {

/// What record and engine know of days and nights that can be compared with now: of the same
/// source, model, precision and schedule, without simulated nights. The record is read in a thread
/// of its own, and again every hour, as the engine forgets.
class DayNightHistory : public QObject {
  Q_OBJECT

 public:
  struct Known {
    monitor::DayNight rows;
    double rowsBefore = std::numeric_limits<double>::quiet_NaN();  ///< where it is always the same
    monitor::Resolution resolution = monitor::Resolution::second;  ///< of `means`
    /// Of each metric in each light, of buckets that have values of it.
    std::array<std::array<std::vector<double>, monitor::kLightStates>, kComparedMetrics.size()>
        means;
  };

  explicit DayNightHistory(QObject* parent = nullptr) : QObject(parent) {
    again_.setInterval(3'600'000);
    connect(&again_, &QTimer::timeout, this, &DayNightHistory::read);
  }

  /// Null: none.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const WatchedRun& run) {
    engine_ = std::move(engine);
    run_ = run;
    runs_.clear();
    events_.clear();
    first_ = {};
    forget();
    if (!engine_) return again_.stop();
    first_.schedule = engine_->schedule().text();
    again_.start();
    read();
  }

  /// Of the engine that runs.
  void hear(const monitor::Event& event) {
    if (monitor::changed(way(), event) == way()) return;
    events_.push_back(event);
    forget();
    emit changed();
  }

  /// How figures come about now.
  monitor::Way way() const {
    monitor::Way way = first_;
    for (const monitor::Event& event : events_) way = monitor::changed(way, event);
    return way;
  }

  Known known() const {
    BucketLists lists = past();
    const BucketLists now = inMemory();
    for (std::size_t i = 0; i < lists.size(); ++i)
      lists[i].insert(lists[i].end(), now[i].begin(), now[i].end());
    std::size_t coarsest = kComparedResolutions.size() - 1;
    while (!monitor::tellsDayNight(lists[coarsest], kComparedResolutions[coarsest])) --coarsest;
    Known known;
    known.rows = monitor::dayNightOf(lists[coarsest], kRows);
    // Hours are few: where there are minutes, they show more of each light.
    const std::size_t shown = coarsest > 1 && !lists[1].empty() ? 1 : coarsest;
    known.resolution = kComparedResolutions[shown];
    monitor::Tally before;
    for (const monitor::Bucket& bucket : lists[shown]) {
      before.add(bucket.tallies[kRowsBefore]);
      for (std::size_t metric = 0; metric < kComparedMetrics.size(); ++metric)
        if (bucket.tallies[metric].count > 0)
          known.means[metric][static_cast<std::size_t>(bucket.light())].push_back(
              bucket.tallies[metric].mean());
    }
    if (before.count > 0 && before.smallest == before.largest) known.rowsBefore = before.smallest;
    return known;
  }

  /// Where figures of one side cannot be compared with those of the other.
  std::vector<TimePlot::Mark> marks() const {
    std::vector<TimePlot::Mark> marks;
    std::vector<const PastRun*> runs;
    for (const PastRun& run : runs_)
      if (!isThis(run)) runs.push_back(&run);
    const PastRun here{run_.begunUtcMs, run_.model, run_.modelHash, run_.precision,
                       run_.device,     first_,     events_,        {}};
    runs.push_back(&here);
    monitor::Way way = runs.front()->first;
    const auto go = [&](std::int64_t utcMs, const monitor::Way& next) {
      if (next.schedule != way.schedule) marks.push_back({utcMs, scheduleWords(next.schedule)});
      if (next.filtered != way.filtered)
        marks.push_back(
            {utcMs, next.filtered ? tr("simulated night") : tr("simulated night ends")});
      way = next;
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const PastRun& run = *runs[i];
      const PastRun& before = *runs[i > 0 ? i - 1 : 0];
      if (before.modelHash != run.modelHash)
        marks.push_back({run.begunUtcMs, tr("model %1").arg(run.model)});
      if (before.precision != run.precision || before.device != run.device)
        marks.push_back({run.begunUtcMs, (run.precision + ' ' + run.device).trimmed()});
      go(run.begunUtcMs, run.first);
      for (const monitor::Event& event : run.events)
        go(event.at.utcMs, monitor::changed(way, event));
    }
    return marks;
  }

 signals:
  void changed();  ///< marks, and what can be compared

 private:
  static QString scheduleWords(const std::string& schedule) {
    return schedule == "none" ? tr("full tokens")
                              : tr("merge before %1").arg(QString::fromStdString(schedule));
  }

  void read() {
    if (run_.record.isEmpty()) return;
    const QPointer<DayNightHistory> self(this);
    QThreadPool::globalInstance()->start([self, wanted = run_] {
      std::vector<PastRun> runs;
      try {
        runs = readPastRuns(wanted);
      } catch (const std::exception&) {
        // Nothing to compare with; the record's own fault is told elsewhere.
      }
      QMetaObject::invokeMethod(qApp, [self, wanted, runs = std::move(runs)]() mutable {
        if (!self || self->run_.begunUtcMs != wanted.begunUtcMs) return;
        self->runs_ = std::move(runs);
        self->forget();
        emit self->changed();
      });
    });
  }

  void forget() { past_.reset(); }
  bool isThis(const PastRun& run) const { return run.begunUtcMs >= run_.begunUtcMs; }

  monitor::Way wanted() const { return {way().schedule, false}; }

  // What the record alone knows: gone through once, until something changes.
  const BucketLists& past() const {
    if (past_) return *past_;
    past_.emplace();
    for (const PastRun& run : runs_) {
      const auto stretches =
          monitor::stretchesOf(wanted(), run.first, isThis(run) ? events_ : run.events);
      for (std::size_t i = 0; i < kComparedResolutions.size(); ++i) {
        std::deque<monitor::Bucket> found =
            monitor::bucketsWithin(stretches, run.buckets[i], kComparedResolutions[i]);
        if (isThis(run)) withoutRemembered(found, kComparedResolutions[i]);
        (*past_)[i].insert((*past_)[i].end(), found.begin(), found.end());
      }
    }
    return *past_;
  }

  // What the engine has itself goes on there.
  void withoutRemembered(std::deque<monitor::Bucket>& buckets,
                         monitor::Resolution resolution) const {
    engine_->readStatistics(0, [&](const monitor::Statistics& statistics) {
      const auto& here = statistics.series().buckets(resolution);
      if (here.empty()) return;
      const std::pair first(here.front().era, here.front().startUtcMs);
      std::erase_if(buckets, [&](const monitor::Bucket& bucket) {
        return std::pair(bucket.era, bucket.startUtcMs) >= first;
      });
    });
  }

  BucketLists inMemory() const {
    BucketLists lists;
    if (!engine_) return lists;
    // The engine waits for what is done here, so that is copying alone.
    engine_->readStatistics(0, [&](const monitor::Statistics& statistics) {
      for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const monitor::Bucket& bucket : statistics.series().buckets(kComparedResolutions[i])) {
          monitor::Bucket& copy = lists[i].emplace_back();
          copy.startUtcMs = bucket.startUtcMs;
          copy.era = bucket.era;
          copy.frames = bucket.frames;
          copy.tallies.resize(kComparedMetrics.size());
          for (std::size_t metric = 0; metric < kComparedMetrics.size(); ++metric)
            if (const auto place = statistics.metrics().find(kComparedMetrics[metric]))
              copy.tallies[metric] = bucket.tallies[*place];
        }
      }
    });
    const auto stretches = monitor::stretchesOf(wanted(), first_, events_);
    for (std::size_t i = 0; i < lists.size(); ++i)
      lists[i] = monitor::bucketsWithin(stretches, lists[i], kComparedResolutions[i]);
    return lists;
  }

  std::shared_ptr<monitor::Engine> engine_;
  WatchedRun run_;
  std::vector<PastRun> runs_;           // of the record, this one included
  monitor::Way first_;                  // this run's
  std::vector<monitor::Event> events_;  // and what changed it
  mutable std::optional<BucketLists> past_;
  QTimer again_;
};

}  // namespace mpm::gui
