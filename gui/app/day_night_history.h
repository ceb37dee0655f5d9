// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <array>
#include <cstddef>
#include <deque>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/picture_tokens.h"
#include "gui/app/wording.h"
#include "gui/aside.h"
#include "gui/plot/time_plot.h"
#include "monitor/engine/engine.h"
#include "monitor/record/record_reader.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {

/// What record and engine know of days and nights that can be compared with now: of the same
/// source, model, precision and schedule, without simulated nights; of times, with a memory or
/// without one, as now. Nor with replays; of a replay that is watched nothing else is known. The
/// record is read in a thread of its own, and again every hour, as the engine forgets.
class DayNightHistory : public QObject {
  Q_OBJECT

 public:
  enum Metric { kTokensBefore, kTokens, kMergedShare, kNetworkMs, kMetrics };

  struct Known {
    monitor::DayNight tokens;                                        ///< live ones of the picture
    double tokensBefore = std::numeric_limits<double>::quiet_NaN();  ///< where always the same
    monitor::Resolution resolution = monitor::Resolution::second;    ///< of `means`
    /// Of each metric in each light, of buckets that have values of it.
    std::array<std::array<std::vector<double>, monitor::kLightStates>, kMetrics> means;
    std::vector<double> atNight;  ///< live tokens of the last buckets at night
  };

  explicit DayNightHistory(QObject* parent = nullptr) : QObject(parent) {
    again_.setInterval(3'600'000);
    connect(&again_, &QTimer::timeout, this, &DayNightHistory::read);
  }

  /// Null: none. `record`: a file, or empty, which has the engine's source number `index` as
  /// `source`. `run`: as the record's, which has it with the same beginning, with what was heard
  /// of it so far.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& source, monitor::PastRun run, std::size_t index = 0) {
    engine_ = std::move(engine);
    record_ = record.toStdString();
    source_ = source.toStdString();
    run_ = std::move(run);
    index_ = index;
    old_.clear();
    compared_.reset();
    if (!engine_) return again_.stop();
    again_.start();
    read();
  }

  /// Of the engine that runs.
  void hear(const monitor::Event& event) {
    if (monitor::changed(way(), event) == way()) return;
    run_.events.push_back(event);
    compared_.reset();
    emit changed();
  }

  monitor::Way way() const { return run_.last(); }  ///< how figures come about now

  Known known() const {
    const Compared& compared = comparedNow();
    const Lists& lists = compared.buckets;
    std::size_t coarsest = kResolutions.size() - 1;
    while (!monitor::tellsDayNight(lists[coarsest], kResolutions[coarsest])) --coarsest;
    Known known;
    known.tokens = monitor::dayNightOf(lists[coarsest], kTokens, compared.begins[coarsest]);
    // Hours are few: where there are minutes, they show more of each light.
    const std::size_t shown = coarsest > 1 && !lists[1].empty() ? 1 : coarsest;
    known.resolution = kResolutions[shown];
    monitor::Tally before;
    for (const monitor::Bucket& bucket : lists[shown]) {
      const monitor::LightState light = bucket.light();
      if (const auto& tokens = bucket.tallies[kTokens]; tokens.count > 0 && monitor::isNight(light))
        known.atNight.push_back(tokens.mean());
      before.add(bucket.tallies[kTokensBefore]);
      for (std::size_t metric = 0; metric < kMetrics; ++metric)
        if (bucket.tallies[metric].count > 0)
          known.means[metric][static_cast<std::size_t>(light)].push_back(
              bucket.tallies[metric].mean());
    }
    if (std::ssize(known.atNight) > kLately)
      known.atNight.erase(known.atNight.begin(), known.atNight.end() - kLately);
    if (before.count > 0 && before.smallest == before.largest) known.tokensBefore = before.smallest;
    return known;
  }

  /// Where figures of one side cannot be compared with those of the other.
  std::vector<TimePlot::Mark> marks() const {
    std::vector<TimePlot::Mark> marks;
    std::vector<const monitor::PastRun*> runs;
    for (const Old& old : old_)
      if (!isThis(old.run)) runs.push_back(&old.run);
    runs.push_back(&run_);
    monitor::Way way = runs.front()->first;
    const auto go = [&](std::int64_t utcMs, const monitor::Way& next) {
      if (next.schedule != way.schedule) marks.push_back({utcMs, scheduleWords(next.schedule)});
      if (next.filtered != way.filtered)
        marks.push_back(
            {utcMs, next.filtered ? tr("simulated night") : tr("simulated night ends")});
      if (next.memory != way.memory)
        marks.push_back({utcMs, next.memory ? tr("scene memory") : tr("scene memory off")});
      if (next.view != way.view)
        marks.push_back({utcMs, next.view.empty() ? tr("first view") : tr("camera moved")});
      way = next;
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const monitor::PastRun& run = *runs[i];
      const monitor::PastRun& before = *runs[i > 0 ? i - 1 : 0];
      if (before.modelHash != run.modelHash)
        marks.push_back({run.begunUtcMs, tr("model %1").arg(modelWords(run))});
      if (before.precision != run.precision || before.device != run.device)
        marks.push_back({run.begunUtcMs, (precisionTitle(QString::fromStdString(run.precision)) +
                                          ' ' + QString::fromStdString(run.device))
                                             .trimmed()});
      if (before.zones != run.zones) marks.push_back({run.begunUtcMs, tr("other zones")});
      go(run.begunUtcMs, run.first);
      for (const monitor::Event& event : run.events)
        go(event.at.utcMs, monitor::changed(way, event));
    }
    return marks;
  }

 signals:
  void changed();  ///< marks, and what can be compared

 private:
  static constexpr std::array kResolutions{monitor::Resolution::second, monitor::Resolution::minute,
                                           monitor::Resolution::hour};
  // Of seconds what the engine remembers as well, and as many of the runs before, however long ago;
  // of minutes a week, of hours a year.
  static constexpr std::int64_t kDayMs = 86'400'000;
  static constexpr std::ptrdiff_t kLately = 240;
  static constexpr std::array<std::int64_t, kResolutions.size()> kKeptMs{900'000, 7 * kDayMs,
                                                                         366 * kDayMs};
  using Lists = std::array<std::deque<monitor::Bucket>, kResolutions.size()>;
  // Of the record, in the order of Metric.
  static constexpr std::array<const char*, kMetrics> kNames{
      PictureTokens::kMetrics[0], PictureTokens::kMetrics[1], PictureTokens::kMetrics[2],
      "ms.network"};

  // What can be compared, one run after the other, that of the engine last, with tokens of the
  // picture alone. What the engine has in memory changes every second, and stands behind the rest,
  // which may be a year: that is gone through once, until something changes.
  struct Compared {
    Lists buckets;
    std::array<std::set<std::size_t>, kResolutions.size()> begins;  // of runs
    std::array<std::size_t, kResolutions.size()> ofRecord{};        // so many are the record's
    // Rows that are no tokens of the picture: as the newest frame tells, and the record's last.
    std::optional<double> special;
    std::array<std::optional<double>, kResolutions.size()> lastSpecial{};
  };

  using Place = std::pair<std::int32_t, std::int64_t>;  // of a bucket: era and time
  static constexpr Place kEnd{std::numeric_limits<std::int32_t>::max(),
                              std::numeric_limits<std::int64_t>::max()};
  static Place placeOf(const monitor::Bucket& bucket) { return {bucket.era, bucket.startUtcMs}; }

  struct Old {
    monitor::PastRun run;
    Lists buckets;  // none where they cannot be compared
  };

  // Models that were taught again may have one name: their hashes differ.
  static QString modelWords(const monitor::PastRun& run) {
    return QString::fromStdString(run.model + " (" + run.modelHash.substr(0, 7) + ")");
  }

  static QString scheduleWords(const std::string& schedule) {
    return schedule == "none" ? tr("full tokens")
                              : tr("merge before %1").arg(QString::fromStdString(schedule));
  }

  static std::vector<Old> oldOf(const std::string& file, const std::string& source,
                                const monitor::PastRun& wanted) {
    constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
    const std::int64_t now = monitor::systemClock().now().utcMs;
    const monitor::RecordReader record(file);
    std::vector<Old> old;
    std::vector<monitor::PastRun> runs = monitor::pastRuns(record, source);
    monitor::PastRun running = wanted;
    if (!runs.empty()) running.views = runs.back().views;
    const auto take = [&](Old& of, std::size_t i, std::int64_t fromUtcMs) {
      for (monitor::Bucket& bucket : record.buckets(source, kResolutions[i], fromUtcMs, kEver,
                                                    {kNames.begin(), kNames.end()}, of.run.id))
        of.buckets[i].push_back(std::move(bucket));
    };
    const auto isAlike = [&](const Old& of) {
      return of.run.hasModelOf(running) && of.run.hasTimesOf(running);
    };
    const auto isWanted = [&](const Old& of) { return of.run.begunUtcMs == wanted.begunUtcMs; };
    for (monitor::PastRun& run : runs) {
      Old& of = old.emplace_back(Old{std::move(run), {}});
      for (std::size_t i = 1; isAlike(of) && i < kResolutions.size(); ++i)
        take(of, i, now - kKeptMs[i]);
    }
    std::int64_t roomMs = kKeptMs[0];  // for seconds of the runs before, the newest first
    for (auto of = old.rbegin(); of != old.rend(); ++of) {
      if (!isAlike(*of)) continue;
      if (isWanted(*of)) {
        take(*of, 0, now - kKeptMs[0]);
      } else if (roomMs > 0 && !of->buckets[1].empty()) {
        take(*of, 0, of->buckets[1].back().startUtcMs + 60'000 - roomMs);
        roomMs -= 1000 * std::ssize(of->buckets[0]);
      }
    }
    return old;
  }

  void read() {
    if (record_.empty()) return;
    computeAside(
        this,
        [file = record_, source = source_, run = run_] {
          try {
            return oldOf(file, source, run);
          } catch (const std::exception&) {
            return std::vector<Old>();  // the record's own fault is told elsewhere
          }
        },
        [this, begun = run_.begunUtcMs, source = source_](std::vector<Old> old) {
          if (run_.begunUtcMs != begun || source_ != source) return;
          old_ = std::move(old);
          compared_.reset();
          emit changed();
        });
  }

  bool isThis(const monitor::PastRun& run) const { return run.begunUtcMs == run_.begunUtcMs; }

  const Compared& comparedNow() const {
    const monitor::FrameResultPtr newest = engine_ ? engine_->latest(index_) : nullptr;
    const auto count = newest ? countTokens(*newest) : std::nullopt;
    const auto special = count ? std::optional(count->special) : std::nullopt;
    if (!compared_ || compared_->special != special) compareRecord(special);
    const Lists now = inMemory();
    const PictureTokens tokens("live_tokens");
    for (std::size_t i = 0; i < kResolutions.size(); ++i) {
      auto& buckets = compared_->buckets[i];
      buckets.resize(compared_->ofRecord[i]);
      std::deque<monitor::Bucket> found;
      addComparable(run_, now[i], kResolutions[i], kEnd, found);
      const auto& last = compared_->lastSpecial[i];
      tokens.reduce(found, last ? last : special);
      std::move(found.begin(), found.end(), std::back_inserter(buckets));
    }
    return *compared_;
  }

  void compareRecord(std::optional<double> special) const {
    compared_.emplace().special = special;
    const PictureTokens tokens("live_tokens");
    for (std::size_t i = 0; i < kResolutions.size(); ++i) {
      auto& buckets = compared_->buckets[i];
      auto& begins = compared_->begins[i];
      for (const Old& old : old_) {
        begins.insert(buckets.size());
        if (isThis(old.run))
          addComparable(run_, old.buckets[i], kResolutions[i], firstInMemory(i), buckets);
        else
          addComparable(old.run, old.buckets[i], kResolutions[i], kEnd, buckets);
      }
      if (old_.empty() || !isThis(old_.back().run)) begins.insert(buckets.size());
      compared_->ofRecord[i] = buckets.size();
      compared_->lastSpecial[i] = tokens.reduce(buckets, special);
    }
  }

  // Those of a run's buckets before `until` that can be compared with now.
  void addComparable(const monitor::PastRun& run, const std::deque<monitor::Bucket>& from,
                     monitor::Resolution resolution, const Place& until,
                     std::deque<monitor::Bucket>& to) const {
    const monitor::Way now = way(), wanted{now.schedule, false, now.memory, now.view};
    const auto stretches = monitor::stretchesOf(wanted, run.first, run.events, false);
    const auto alike = monitor::stretchesOf(wanted, run.first, run.events, true);
    for (const monitor::Bucket& bucket : from) {
      if (placeOf(bucket) >= until || !monitor::isWithin(stretches, bucket, resolution)) continue;
      monitor::Bucket& copy = to.emplace_back(bucket);
      if (copy.tallies.size() > kNetworkMs && !monitor::isWithin(alike, bucket, resolution))
        copy.tallies[kNetworkMs] = {};
    }
  }

  // What the engine has itself goes on there.
  Place firstInMemory(std::size_t resolution) const {
    Place first = kEnd;
    engine_->readStatistics(index_, [&](const monitor::Statistics& statistics) {
      const auto& here = statistics.series().buckets(kResolutions[resolution]);
      if (!here.empty()) first = placeOf(here.front());
    });
    return first;
  }

  Lists inMemory() const {
    Lists lists;
    if (!engine_) return lists;
    // The engine waits for what is done here, so that is copying alone.
    engine_->readStatistics(index_, [&](const monitor::Statistics& statistics) {
      for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const monitor::Bucket& bucket : statistics.series().buckets(kResolutions[i])) {
          monitor::Bucket& copy = lists[i].emplace_back(
              monitor::Bucket{bucket.startUtcMs, bucket.era, bucket.frames, {}});
          copy.tallies.resize(kMetrics);
          for (std::size_t metric = 0; metric < kMetrics; ++metric)
            if (const auto place = statistics.metrics().find(kNames[metric]))
              copy.tallies[metric] = bucket.tallies[*place];
        }
      }
    });
    return lists;
  }

  std::shared_ptr<monitor::Engine> engine_;
  std::string record_, source_;
  std::size_t index_ = 0;
  monitor::PastRun run_;  // that is watched
  std::vector<Old> old_;  // of the record, this one included
  mutable std::optional<Compared> compared_;
  QTimer again_;
};

}  // namespace mpm::gui
