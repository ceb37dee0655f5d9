// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
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

/// Read in a thread of its own and handed to `then`, in `receiver`'s, while that is there; nothing
/// where there is no record, or nothing in it.
inline void readHeat(QObject* receiver, const QString& record, const QString& source,
                     const QString& modelHash, std::function<void(std::vector<MergeHeat>)> then) {
  if (record.isEmpty()) return;
  using Heats = std::vector<MergeHeat>;
  computeAside(
      receiver,
      [record = record.toStdString(), source = source.toStdString(),
       modelHash = modelHash.toStdString()]() -> std::optional<Heats> {
        try {
          return heatOf(monitor::RecordReader(record), source, modelHash,
                        monitor::systemClock().now().utcMs);
        } catch (const std::exception&) {
          return {};  // the record's own fault is told elsewhere
        }
      },
      [then = std::move(then)](std::optional<Heats> heats) {
        if (heats) then(std::move(*heats));
      });
}

}  // namespace mpm::gui
