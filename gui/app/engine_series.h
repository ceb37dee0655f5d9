// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/picture_tokens.h"
#include "gui/aside.h"
#include "gui/plot/series.h"
#include "monitor/engine/engine.h"
#include "monitor/engine/frame_result.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {

/// Of a camera with a memory few seconds count tokens: one that does not shows what the last one
/// counted, for as long as the next is due at the latest.
inline void holdCounts(std::vector<PlotBucket>& seconds) {
  const PlotBucket* counted = nullptr;
  for (PlotBucket& bucket : seconds) {
    if (bucket.count > 0) {
      counted = &bucket;
    } else if (counted != nullptr && counted->run == bucket.run && counted->era == bucket.era &&
               bucket.startUtcMs - counted->startUtcMs <= monitor::TokenCount::kMs) {
      bucket.count = 1;
      bucket.mean = bucket.smallest = bucket.largest = counted->mean;
    }
  }
}

/// An engine's figures over time: the newest from its memory, what is older from the record, which
/// is read in a thread of its own. One source's, run by run: what two runs counted at one time is
/// never added up, as they may be of other models, schedules and pictures. Metrics are those of the
/// record, and PictureTokens.
class EngineSeries : public SeriesSource {
  Q_OBJECT

 public:
  explicit EngineSeries(QObject* parent = nullptr) : SeriesSource(parent) {
    newer_.setInterval(500);
    connect(&newer_, &QTimer::timeout, this, &EngineSeries::tellNew);
  }

  /// Null: none. `record`: a file, or empty; `name`: in it, of the engine's `source`, whose run
  /// there began at `begunUtcMs`.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& name, std::int64_t begunUtcMs = kEver, std::size_t source = 0) {
    engine_ = std::move(engine);
    source_ = source;
    record_ = record;
    name_ = name;
    begunUtcMs_ = begunUtcMs;
    old_.clear();
    oldest_ = {};
    ++generation_;
    framesTold_ = 0;
    if (engine_) {
      newer_.start();
      readOldest();
    } else {
      newer_.stop();
    }
    emit changed(0, std::numeric_limits<qint64>::max());
  }

  std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                  std::int64_t fromUtcMs, std::int64_t toUtcMs) override {
    const std::vector<PlotBucket> memory = inMemory(metric, resolution);
    std::vector<PlotBucket> list;
    if (!record_.isEmpty()) {
      // Of the run that is watched the record is asked for what is no longer in memory.
      const std::int64_t forgottenTo =
          memory.empty() ? 0 : std::min(toUtcMs, memory.front().startUtcMs);
      const Old& old = old_[keyOf(metric, resolution)];
      for (const PlotBucket& bucket : old.buckets) {
        if (bucket.run != kWatched || memory.empty() || isBefore(bucket, memory.front()))
          append(list, bucket, fromUtcMs, toUtcMs);
      }
      if (!old.reading && (fromUtcMs < old.fromUtcMs || toUtcMs > old.toUtcMs ||
                           (fromUtcMs < forgottenTo && forgottenTo > old.forgottenToUtcMs)))
        readRecord(metric, resolution, fromUtcMs, toUtcMs, forgottenTo);
    }
    for (const PlotBucket& bucket : memory) append(list, bucket, fromUtcMs, toUtcMs);
    const bool ofTokens = PictureTokens(metric.toStdString()).counts();
    if (ofTokens && resolution == monitor::Resolution::second) holdCounts(list);
    return list;
  }

  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override {
    std::optional<std::int64_t> oldest = oldest_[static_cast<std::size_t>(resolution)];
    if (!engine_) return oldest;
    engine_->readStatistics(source_, [&](const monitor::Statistics& statistics) {
      const auto& buckets = statistics.series().buckets(resolution);
      if (buckets.empty()) return;
      const std::int64_t first = buckets.front().startUtcMs;
      oldest = oldest ? std::min(*oldest, first) : first;
    });
    return oldest;
  }

 private:
  static constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
  static constexpr std::int64_t kWatched = std::numeric_limits<std::int64_t>::max();  // as a run

  static QString keyOf(const QString& metric, monitor::Resolution resolution) {
    return QString::number(static_cast<int>(resolution)) + ' ' + metric;
  }

  static void append(std::vector<PlotBucket>& list, const PlotBucket& bucket, std::int64_t from,
                     std::int64_t to) {
    if (bucket.startUtcMs >= from && bucket.startUtcMs < to) list.push_back(bucket);
  }

  static bool isBefore(const PlotBucket& one, const PlotBucket& other) {
    return std::pair(one.era, one.startUtcMs) < std::pair(other.era, other.startUtcMs);
  }

  // What was read of the record.
  struct Old {
    std::int64_t fromUtcMs = 0, toUtcMs = 0;
    std::int64_t forgottenToUtcMs = 0;  // where memory began then
    bool reading = false;
    std::vector<PlotBucket> buckets;
  };

  std::vector<PlotBucket> inMemory(const QString& metric, monitor::Resolution resolution) const {
    std::vector<PlotBucket> list;
    if (!engine_) return list;
    const PictureTokens tokens(metric.toStdString());
    std::vector<monitor::Bucket> buckets;
    engine_->readStatistics(source_, [&](const monitor::Statistics& statistics) {
      std::vector<std::size_t> places;
      for (const std::string& name : tokens.names()) {
        const auto place = statistics.metrics().find(name);
        if (!place) return;
        places.push_back(*place);
      }
      for (const monitor::Bucket& bucket : statistics.series().buckets(resolution)) {
        buckets.push_back({bucket.startUtcMs, bucket.era, bucket.frames, {}});
        for (const std::size_t place : places)
          buckets.back().tallies.push_back(bucket.tallies[place]);
      }
    });
    tokens.reduce(buckets, specialNow());
    for (const monitor::Bucket& bucket : buckets)
      list.push_back(plotBucket(bucket, tokens.place(), kWatched));
    return list;
  }

  // Of the newest frame that tells.
  std::optional<double> specialNow() const {
    const monitor::FrameResultPtr newest = engine_ ? engine_->latest(source_) : nullptr;
    if (!newest) return std::nullopt;
    const auto tokens = countTokens(*newest);
    return tokens ? std::optional(tokens->special) : std::nullopt;
  }

  // Each run by itself: how many rows are special depends on the model.
  static std::vector<PlotBucket> inRecord(const monitor::RecordReader& reader,
                                          const std::string& name, std::int64_t begunUtcMs,
                                          const PictureTokens& tokens,
                                          monitor::Resolution resolution, std::int64_t fromUtcMs,
                                          std::int64_t toUtcMs, std::optional<double> special) {
    std::vector<PlotBucket> list;
    const std::vector<monitor::RecordedRun> runs = reader.runs(name);
    for (const monitor::RecordedRun& run : runs) {
      std::vector<monitor::Bucket> buckets =
          reader.buckets(name, resolution, fromUtcMs, toUtcMs, tokens.names(), run.id);
      const bool isNow = run.facts.modelHash == runs.back().facts.modelHash;
      tokens.reduce(buckets, isNow ? special : std::nullopt);
      const std::int64_t shown = run.facts.begun.utcMs == begunUtcMs ? kWatched : run.id;
      for (const monitor::Bucket& bucket : buckets)
        list.push_back(plotBucket(bucket, tokens.place(), shown));
    }
    return list;
  }

  // Some ahead of what is asked for, so that a plot that goes on does not ask with every frame.
  void readRecord(const QString& metric, monitor::Resolution resolution, std::int64_t fromUtcMs,
                  std::int64_t toUtcMs, std::int64_t forgottenToUtcMs) {
    old_[keyOf(metric, resolution)].reading = true;
    Old wanted;
    wanted.fromUtcMs = fromUtcMs;
    wanted.toUtcMs = toUtcMs < kEver ? toUtcMs + (toUtcMs - fromUtcMs) : toUtcMs;
    wanted.forgottenToUtcMs = forgottenToUtcMs;
    computeAside(
        this,
        [=, old = std::move(wanted), record = record_.toStdString(), name = name_.toStdString(),
         begun = begunUtcMs_, special = specialNow()]() mutable {
          try {
            old.buckets = inRecord(monitor::RecordReader(record), name, begun,
                                   PictureTokens(metric.toStdString()), resolution, old.fromUtcMs,
                                   old.toUtcMs, special);
          } catch (const std::exception&) {
            // Nothing to show of it; the record's own fault is told elsewhere.
          }
          return std::move(old);
        },
        [this, generation = generation_, key = keyOf(metric, resolution)](Old old) {
          if (generation_ == generation) arrived(key, std::move(old));
        });
  }

  void readOldest() {
    if (record_.isEmpty()) return;
    computeAside(
        this,
        [record = record_.toStdString(), name = name_.toStdString()] {
          std::array<std::optional<std::int64_t>, 4> oldest;
          try {
            const monitor::RecordReader reader(record);
            for (const monitor::Resolution resolution : monitor::kAllResolutions) {
              const auto first = reader.firstBucket(name, resolution, 0);
              if (first) oldest[static_cast<std::size_t>(resolution)] = *first;
            }
          } catch (const std::exception&) {
          }
          return oldest;
        },
        [this, generation = generation_](const auto& oldest) {
          if (generation_ != generation) return;
          oldest_ = oldest;
          emit changed(0, std::numeric_limits<qint64>::max());
        });
  }

  void arrived(const QString& key, Old old) {
    const std::int64_t from = old.fromUtcMs, to = old.toUtcMs;
    old_[key] = std::move(old);
    emit changed(from, to);
  }

  void tellNew() {
    if (!engine_) return;
    const std::uint64_t frames = engine_->frames(source_);
    if (frames == framesTold_) return;
    framesTold_ = frames;
    const std::int64_t now = monitor::systemClock().now().utcMs;
    emit changed(now - 2000, now + 1000);
  }

  std::shared_ptr<monitor::Engine> engine_;
  std::size_t source_ = 0;
  QString record_, name_;
  std::int64_t begunUtcMs_ = kEver;
  QHash<QString, Old> old_;
  std::array<std::optional<std::int64_t>, 4> oldest_;
  quint64 generation_ = 0;  // of the engine: answers for an earlier one are thrown away
  std::uint64_t framesTold_ = 0;
  QTimer newer_;
};

}  // namespace mpm::gui
