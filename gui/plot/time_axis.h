// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocale>
#include <QString>
#include <QTime>
#include <QTimeZone>
#include <cstdint>
#include <vector>

namespace mpm::gui {

/// A place on a time axis where people look for one: full seconds, minutes, hours, midnights,
/// Mondays, first days of months and years, of the wall clock there.
struct TimeTick {
  std::int64_t utcMs = 0;
  QString label;  ///< "14:05", "Mon 3", "Mar"
  QString
      context;  ///< the date, month or year that the label leaves out: "Mon 3 Mar 2025", or empty
};

/// Those within `fromUtcMs` to `toUtcMs`, in order, about `most` of them or fewer. Where clocks go
/// back an hour is there twice, where they go forward it is missing. Nothing where from >= to.
std::vector<TimeTick> timeTicks(std::int64_t fromUtcMs, std::int64_t toUtcMs, int most,
                                const QTimeZone& zone, const QLocale& locale);

/// What the ticks' contexts say of any moment in between: for the axis's left end.
QString contextAt(std::int64_t utcMs, std::int64_t fromUtcMs, std::int64_t toUtcMs, int most,
                  const QTimeZone& zone, const QLocale& locale);

/// A time of day as the locale writes it: "7:05 PM", "19:05:12".
QString clockText(QTime time, bool seconds, const QLocale& locale);

/// A moment with its date, to the minute or to the second.
QString momentText(std::int64_t utcMs, bool seconds, const QTimeZone& zone, const QLocale& locale);

}  // namespace mpm::gui
