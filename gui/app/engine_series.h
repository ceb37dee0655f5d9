// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QString>
#include <QTimer>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "gui/plot/series_source.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {

/// An engine's figures over time: the newest from its memory, what is older from the record, which
/// is read in a thread of its own. Only its first source.
class EngineSeries : public SeriesSource {
  Q_OBJECT

 public:
  explicit EngineSeries(QObject* parent = nullptr);

  /// Null: none. `record`: a file, or empty; `name`: of the source in it.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& name);

  std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                  std::int64_t fromUtcMs, std::int64_t toUtcMs) override;
  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override;

 private:
  // What was read of the record.
  struct Old {
    std::int64_t fromUtcMs = 0, toUtcMs = 0;
    bool reading = false;
    std::vector<PlotBucket> buckets;
  };

  std::vector<PlotBucket> inMemory(const QString& metric, monitor::Resolution resolution) const;
  void readRecord(const QString& metric, monitor::Resolution resolution, std::int64_t fromUtcMs,
                  std::int64_t toUtcMs);
  void readOldest();
  void arrived(const QString& key, Old old);
  void tellNew();

  std::shared_ptr<monitor::Engine> engine_;
  QString record_, name_;
  QHash<QString, Old> old_;
  std::array<std::optional<std::int64_t>, 4> oldest_;
  quint64 generation_ = 0;  // of the engine: answers for an earlier one are thrown away
  std::uint64_t framesTold_ = 0;
  QTimer newer_;
};

}  // namespace mpm::gui
