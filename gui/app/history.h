// SPDX-License-Identifier: Apache-2.0
// Figures over time, of a record and of the engine that writes it: for plots, and nights beside
// days.
#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/plot/series.h"
#include "gui/plot/time_plot.h"
#include "monitor/engine/engine.h"
#include "monitor/record/record_reader.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {

/// Of a camera with a memory few seconds count tokens: one that does not shows what the last one
/// counted, for as long as the next is due at the latest.
void holdCounts(std::vector<PlotBucket>& seconds);

/// An engine's figures over time: the newest from its memory, what is older from the record, which
/// is read in a thread of its own. One source's, run by run: what two runs counted at one time is
/// never added up, as they may be of other models, schedules and pictures. Metrics are those of the
/// record, and PictureTokens.
class EngineSeries : public SeriesSource {
  Q_OBJECT

 public:
  explicit EngineSeries(QObject* parent = nullptr);

  /// Null: none. `record`: a file, or empty; `name`: in it, of the engine's `source`, whose run
  /// there began at `begunUtcMs`.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& name, std::int64_t begunUtcMs = kEver, std::size_t source = 0);

  std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                  std::int64_t fromUtcMs, std::int64_t toUtcMs) override;

  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override;

 private:
  static constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;

  // What was read of the record.
  struct Old {
    std::int64_t fromUtcMs = 0, toUtcMs = 0;
    std::int64_t forgottenToUtcMs = 0;  // where memory began then
    bool reading = false;
    std::vector<PlotBucket> buckets;
  };
  std::vector<PlotBucket> inMemory(const QString& metric, monitor::Resolution resolution) const;
  std::optional<double> specialNow() const;
  void readRecord(const QString& metric, monitor::Resolution resolution, std::int64_t fromUtcMs,
                  std::int64_t toUtcMs, std::int64_t forgottenToUtcMs);
  void readOldest();
  void arrived(const QString& key, Old old);
  void tellNew();

  std::shared_ptr<monitor::Engine> engine_;
  std::size_t source_ = 0;
  QString record_, name_;
  std::int64_t begunUtcMs_ = kEver;
  QHash<QString, Old> old_;
  std::array<std::optional<std::int64_t>, 4> oldest_;
  quint64 generation_ = 0;  // of the engine: answers for an earlier one are thrown away
  std::uint64_t framesTold_ = 0;
  std::int64_t takenToldMs_ = 0;
  QTimer newer_;
};

/// What is known of days and nights that can be compared with now.
struct KnownNights {
  enum Metric { kTokensBefore, kTokens, kMergedShare, kNetworkMs, kMetrics };

  monitor::DayNight tokens;                                        ///< live ones of the picture
  double tokensBefore = std::numeric_limits<double>::quiet_NaN();  ///< where always the same
  monitor::Resolution resolution = monitor::Resolution::second;    ///< of `means`
  /// Of each metric in each light, of buckets that have values of it.
  std::array<std::array<std::vector<double>, monitor::kLightStates>, kMetrics> means;
  std::vector<double> atNight;  ///< live tokens of the last buckets at night
};

/// What record and engine know of days and nights that can be compared with now: of the same
/// source, model, precision and schedule, without simulated nights; of times, with a memory or
/// without one, as now. Nor with replays; of a replay that is watched nothing else is known. The
/// record is read in a thread of its own, and again every hour, as the engine forgets.
class DayNightHistory : public QObject {
  Q_OBJECT

 public:
  explicit DayNightHistory(QObject* parent = nullptr);

  /// Null: none. `record`: a file, or empty, which has the engine's source number `index` as
  /// `source`. `run`: as the record's, which has it with the same beginning, with what was heard
  /// of it so far.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& source, monitor::PastRun run, std::size_t index = 0);

  /// Of the engine that runs.
  void hear(const monitor::Event& event);

  monitor::Way way() const { return run_.last(); }  ///< how figures come about now

  KnownNights known() const;

  /// Where figures of one side cannot be compared with those of the other.
  std::vector<TimePlot::Mark> marks() const;

 signals:
  void changed();  ///< marks, and what can be compared

 private:
  static constexpr std::array kResolutions{monitor::Resolution::second, monitor::Resolution::minute,
                                           monitor::Resolution::hour};
  using Lists = std::array<std::deque<monitor::Bucket>, kResolutions.size()>;

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

  struct Old {
    monitor::PastRun run;
    Lists buckets;  // none where they cannot be compared
  };

  static std::vector<Old> oldOf(const std::string& file, const std::string& source,
                                const monitor::PastRun& wanted);
  void read();
  bool isThis(const monitor::PastRun& run) const { return run.begunUtcMs == run_.begunUtcMs; }

  const Compared& comparedNow() const;
  void compareRecord(std::optional<double> special) const;
  void addComparable(const monitor::PastRun& run, const std::deque<monitor::Bucket>& from,
                     monitor::Resolution resolution, const Place& until,
                     std::deque<monitor::Bucket>& to) const;
  Place firstInMemory(std::size_t resolution) const;
  Lists inMemory() const;

  std::shared_ptr<monitor::Engine> engine_;
  std::string record_, source_;
  std::size_t index_ = 0;
  monitor::PastRun run_;  // that is watched
  std::vector<Old> old_;  // of the record, this one included
  mutable std::optional<Compared> compared_;
  QTimer again_;
};

}  // namespace mpm::gui
