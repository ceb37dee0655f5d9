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

/// Repeats the last count of tokens over seconds without one, until the next count is due at the
/// latest. With a memory only few frames count their tokens.
void holdCounts(std::vector<PlotBucket>& seconds);

/// An engine's metrics over time: recent ones from its memory, older ones from the record, which a
/// separate thread reads. It covers one source, run by run. Counts of two runs are never summed, as
/// their models, schedules and frame sizes may differ. Metrics are those of the record and of
/// PictureTokens.
class EngineSeries : public SeriesSource {
  Q_OBJECT

 public:
  explicit EngineSeries(QObject* parent = nullptr);

  /// A null engine means none. `record`: a file, or empty; `name`: the name there of the engine's
  /// source, whose run began at `begunUtcMs`.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& name, std::int64_t begunUtcMs = kEver);

  std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                  std::int64_t fromUtcMs, std::int64_t toUtcMs) override;

  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override;

 private:
  static constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;

  // Buckets that were read from the record.
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
  QString record_, name_;
  std::int64_t begunUtcMs_ = kEver;
  QHash<QString, Old> old_;
  std::array<std::optional<std::int64_t>, 4> oldest_;
  quint64 generation_ = 0;  // of the engine: answers for an earlier one are thrown away
  std::uint64_t framesTold_ = 0;
  std::int64_t takenToldMs_ = 0;
  QTimer newer_;
};

/// Metrics of days and nights that can be compared with now.
struct KnownNights {
  enum Metric { kTokensBefore, kTokens, kMergedShare, kNetworkMs, kMetrics };

  monitor::DayNight tokens;                                        ///< live ones of the picture
  double tokensBefore = std::numeric_limits<double>::quiet_NaN();  ///< where always the same
  monitor::Resolution resolution = monitor::Resolution::second;    ///< of `means`
  /// Means of buckets that have values, for each metric in each light.
  std::array<std::array<std::vector<double>, monitor::kLightStates>, kMetrics> means;
  std::vector<double> atNight;  ///< live tokens of the last buckets at night
};

/// Collects from record and engine what is known of days and nights that can be compared with now.
/// The source, model, precision and schedule must match, and for times the memory, too. Simulated
/// nights and replays do not count; a replay is compared only with itself. A separate thread reads
/// the record, and again every hour, as the engine forgets.
class DayNightHistory : public QObject {
  Q_OBJECT

 public:
  explicit DayNightHistory(QObject* parent = nullptr);

  /// A null engine means none. `record`: a file, or empty; `source`: the name there of the engine's
  /// source. `run`: the record's run with the same beginning, with the events so
  /// far.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& source, monitor::PastRun run);

  /// Takes an event of the engine that runs.
  void hear(const monitor::Event& event);

  monitor::Way way() const { return run_.last(); }  ///< how figures come about now

  KnownNights known() const;

  /// Returns the moments whose two sides cannot be compared with each other.
  std::vector<TimePlot::Mark> marks() const;

 signals:
  void changed();  ///< marks, and what can be compared

 private:
  static constexpr std::array kResolutions{monitor::Resolution::second, monitor::Resolution::minute,
                                           monitor::Resolution::hour};
  using Lists = std::array<std::deque<monitor::Bucket>, kResolutions.size()>;

  // Comparable buckets, run by run, with prefix tokens left out. The engine's run comes last and
  // changes every second. The rest may span a year, so it is read once, until something changes.
  struct Compared {
    Lists buckets;
    std::array<std::set<std::size_t>, kResolutions.size()> begins;  // of runs
    std::array<std::size_t, kResolutions.size()> ofRecord{};        // so many are the record's
    // Number of prefix tokens, from the newest frame and from the record's last.
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
  monitor::PastRun run_;  // that is watched
  std::vector<Old> old_;  // of the record, this one included
  mutable std::optional<Compared> compared_;
  QTimer again_;
};

}  // namespace mpm::gui
