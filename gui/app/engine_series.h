// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/picture_tokens.h"
#include "gui/aside.h"
#include "gui/plot/series_source.h"
#include "monitor/engine/engine.h"
#include "monitor/engine/token_count.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {

/// Of a camera with a memory few seconds count tokens: one that does not shows what the last one
/// counted, for as long as the next is due at the latest.
inline void holdCounts(std::vector<PlotBucket>& seconds) {
  const PlotBucket* counted = nullptr;
  for (PlotBucket& bucket : seconds) {
    if (bucket.count > 0) {
      counted = &bucket;
    } else if (counted != nullptr && counted->era == bucket.era &&
               bucket.startUtcMs - counted->startUtcMs <= monitor::TokenCount::kMs) {
      bucket.count = 1;
      bucket.mean = bucket.smallest = bucket.largest = counted->mean;
    }
  }
}

/// An engine's figures over time: the newest from its memory, what is older from the record, which
/// is read in a thread of its own. One source's. Metrics are those of the record, and
/// PictureTokens.
class EngineSeries : public SeriesSource {
  Q_OBJECT

 public:
  explicit EngineSeries(QObject* parent = nullptr) : SeriesSource(parent) {
    newer_.setInterval(500);
    connect(&newer_, &QTimer::timeout, this, &EngineSeries::tellNew);
  }

  /// Null: none. `record`: a file, or empty; `name`: in it, of the engine's `source`.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& name, std::size_t source = 0) {
    engine_ = std::move(engine);
    source_ = source;
    record_ = record;
    name_ = name;
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
    const std::int64_t memoryFrom =
        memory.empty() ? std::numeric_limits<std::int64_t>::max() : memory.front().startUtcMs;
    std::vector<PlotBucket> list;
    if (!record_.isEmpty() && fromUtcMs < memoryFrom) {
      const std::int64_t to = std::min(toUtcMs, memoryFrom);
      const Old& old = old_[keyOf(metric, resolution)];
      append(list, old.buckets, fromUtcMs, to);
      if (!old.reading && (fromUtcMs < old.fromUtcMs || to > old.toUtcMs)) {
        readRecord(metric, resolution, fromUtcMs, to);
      }
    }
    append(list, memory, fromUtcMs, toUtcMs);
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
  static QString keyOf(const QString& metric, monitor::Resolution resolution) {
    return QString::number(static_cast<int>(resolution)) + ' ' + metric;
  }

  static void append(std::vector<PlotBucket>& list, const std::vector<PlotBucket>& more,
                     std::int64_t from, std::int64_t to) {
    for (const PlotBucket& bucket : more) {
      if (bucket.startUtcMs >= from && bucket.startUtcMs < to) list.push_back(bucket);
    }
  }

  // What was read of the record.
  struct Old {
    std::int64_t fromUtcMs = 0, toUtcMs = 0;
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
      list.push_back(plotBucket(bucket, tokens.place()));
    return list;
  }

  // Of the newest frame that tells.
  std::optional<double> specialNow() const {
    const monitor::FrameResultPtr newest = engine_ ? engine_->latest(source_) : nullptr;
    if (!newest) return std::nullopt;
    const auto tokens = countTokens(*newest);
    return tokens ? std::optional(tokens->special) : std::nullopt;
  }

  // Of several runs each by itself: how many rows are special depends on the model.
  static std::vector<PlotBucket> inRecord(const monitor::RecordReader& reader,
                                          const std::string& name, const PictureTokens& tokens,
                                          monitor::Resolution resolution, std::int64_t fromUtcMs,
                                          std::int64_t toUtcMs, std::optional<double> special) {
    std::map<std::pair<std::int32_t, std::int64_t>, monitor::Bucket> joined;
    const std::vector<monitor::RecordedRun> runs = reader.runs(name);
    for (const monitor::RecordedRun& run : runs) {
      std::vector<monitor::Bucket> buckets =
          reader.buckets(name, resolution, fromUtcMs, toUtcMs, tokens.names(), false, run.id);
      const bool isNow = run.facts.modelHash == runs.back().facts.modelHash;
      tokens.reduce(buckets, isNow ? special : std::nullopt);
      for (monitor::Bucket& bucket : buckets) {
        const auto [place, isNew] = joined.try_emplace({bucket.era, bucket.startUtcMs}, bucket);
        if (isNew) continue;
        monitor::Bucket& into = place->second;
        into.tallies[tokens.place()].add(bucket.tallies[tokens.place()]);
        for (std::size_t i = 0; i < into.frames.size(); ++i) into.frames[i] += bucket.frames[i];
      }
    }
    std::vector<PlotBucket> list;
    for (const auto& [key, bucket] : joined) list.push_back(plotBucket(bucket, tokens.place()));
    return list;
  }

  void readRecord(const QString& metric, monitor::Resolution resolution, std::int64_t fromUtcMs,
                  std::int64_t toUtcMs) {
    old_[keyOf(metric, resolution)].reading = true;
    computeAside(
        this,
        [=, record = record_.toStdString(), name = name_.toStdString(), special = specialNow()] {
          Old old;
          old.fromUtcMs = fromUtcMs;
          old.toUtcMs = toUtcMs;
          try {
            old.buckets =
                inRecord(monitor::RecordReader(record), name, PictureTokens(metric.toStdString()),
                         resolution, fromUtcMs, toUtcMs, special);
          } catch (const std::exception&) {
            // Nothing to show of it; the record's own fault is told elsewhere.
          }
          return old;
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
  QHash<QString, Old> old_;
  std::array<std::optional<std::int64_t>, 4> oldest_;
  quint64 generation_ = 0;  // of the engine: answers for an earlier one are thrown away
  std::uint64_t framesTold_ = 0;
  QTimer newer_;
};

}  // namespace mpm::gui
