// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/aside.h"
#include "gui/days/kept_frame.h"
#include "gui/explain/merge_heat.h"
#include "monitor/clock/clock.h"

namespace mpm::gui {

/// What the merge maps of a record's pictures tell of a source and a model, the same to the byte:
/// one for each schedule and size of the grid. Of the last month, the newest `kMostMaps`. Throws as
/// RecordReader does.
inline std::vector<MergeHeat> heatOf(const monitor::RecordReader& record, const std::string& source,
                                     const std::string& modelHash, std::int64_t nowUtcMs) {
  constexpr std::int64_t kBackMs = std::int64_t{31} * 86'400'000;
  constexpr std::size_t kMostMaps = 4000;
  std::vector<monitor::DayPicture> pictures =
      monitor::dayPictures(record, source, nowUtcMs - kBackMs, nowUtcMs);
  std::erase_if(pictures, [&](const monitor::DayPicture& one) {
    return one.modelHash != modelHash || one.mergeMap.empty() || one.schedule.empty();
  });
  if (pictures.size() > kMostMaps)
    pictures.erase(pictures.begin(), pictures.end() - static_cast<std::ptrdiff_t>(kMostMaps));
  std::vector<MergeHeat> heats;
  for (const monitor::DayPicture& picture : pictures) {
    const cv::Mat map = readMergeMap(picture);
    if (map.empty()) continue;
    auto heat = std::find_if(heats.begin(), heats.end(), [&](const MergeHeat& one) {
      return one.grid() == map.size() && one.schedule() == picture.schedule;
    });
    if (heat == heats.end()) heat = heats.insert(heat, MergeHeat());
    heat->add(map, picture.schedule, picture.light, picture.taken.utcMs);
  }
  return heats;
}

/// Reads a record in a thread of its own, at once and again every hour, since it goes on.
class RecordHeat : public QObject {
  Q_OBJECT

 public:
  explicit RecordHeat(QObject* parent = nullptr) : QObject(parent) {
    again_.setInterval(3'600'000);
    connect(&again_, &QTimer::timeout, this, &RecordHeat::read);
  }

  /// Of a source and a model in a file; empty: there is none.
  void begin(const QString& record, const QString& source, const QString& modelHash) {
    end();
    if (record.isEmpty()) return;
    record_ = record.toStdString();
    source_ = source.toStdString();
    modelHash_ = modelHash.toStdString();
    again_.start();
    read();
  }
  void end() {
    again_.stop();
    ++begun_;
  }
  QTimer& again() { return again_; }

 signals:
  void known(const std::vector<mpm::gui::MergeHeat>& heats);  ///< as heatOf gives them

 private:
  void read() {
    using Heats = std::vector<MergeHeat>;
    computeAside(
        this,
        [record = record_, source = source_, modelHash = modelHash_]() -> std::optional<Heats> {
          try {
            return heatOf(monitor::RecordReader(record), source, modelHash,
                          monitor::systemClock().now().utcMs);
          } catch (const std::exception&) {
            return {};  // the record's own fault is told elsewhere
          }
        },
        [this, begun = begun_](const std::optional<Heats>& heats) {
          if (heats && begun == begun_) emit known(*heats);
        });
  }

  std::string record_, source_, modelHash_;
  int begun_ = 0;  // how often
  QTimer again_;
};

}  // namespace mpm::gui
