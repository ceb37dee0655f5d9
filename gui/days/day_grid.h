// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDate>
#include <QString>
#include <QStringList>
#include <QTime>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "monitor/light/light_state.h"

namespace mpm::gui {

/// A metric over days: a row for each day, from midnight to midnight by the clock on the wall here,
/// in parts of equal length. An hour that the clock skips has none, one that it repeats both.
struct DayGrid {
  struct Cell {
    double value = 0;
    std::uint64_t frames = 0;                                     ///< 0: nothing is known
    monitor::LightState light = monitor::LightState::transition;  ///< that most of them had
  };

  std::vector<QDate> days;  ///< the newest first, without a gap
  int parts = 0;            ///< of a day
  std::vector<Cell> cells;  ///< days x parts

  int minutes() const { return 24 * 60 / std::max(1, parts); }  ///< of a part
  const Cell& at(int day, int part) const {
    return cells[static_cast<std::size_t>(day * parts + part)];
  }
  std::int64_t utcMsOf(int day, int part) const;  ///< when it begins
  QTime timeOf(int part) const;                   ///< the same by the clock on the wall
};

/// Metrics that the newest run of a source has and that say something over a day. How much merges
/// is told as a share: what a count means depends on the model.
QStringList dayMetrics(const std::string& record, const std::string& source);

/// Of the last `days` days of a source, up to that of `nowUtcMs`, whatever its model and schedule;
/// without simulated nights. All of that day: where the clock was set back some of it is to come.
/// Shares are in percent. std::runtime_error, one sentence.
DayGrid readDays(const std::string& record, const std::string& source, const QString& metric,
                 int days, std::int64_t nowUtcMs);

}  // namespace mpm::gui
