// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocale>
#include <QString>

#include "monitor/statistics/comparison.h"

namespace mpm::gui {

/// Returns the daytime figures that the app always uses: complete days one by one if there are any,
/// else all frames by day.
inline const monitor::Running& shownDay(const monitor::DayNight& figures) {
  return figures.days.count() > 0 ? figures.days : figures.dayFrames;
}
inline const monitor::Running& shownNight(const monitor::DayNight& figures) {
  return figures.nights.count() > 0 ? figures.nights : figures.nightFrames;
}

/// Returns one sentence on whether more or fewer tokens merge at night than by day, or what is
/// missing to say so. `figures` are live tokens after the last merge; `tokensBefore` counts them
/// before all merges, NaN if unknown or not constant.
///
/// Each side is shownDay or shownNight. ± is the standard deviation over nights and over days, or
/// over frames if there are only those. Day and night differ if monitor::nightsAgainstDays is sure
/// of it. Otherwise the sentence gives the difference and says that more nights are needed. If the
/// difference is surely less than 1% of live tokens, it says that they are alike. With fewer than
/// two nights or two days it says that it is too early.
///
/// More tokens merge if fewer tokens live. The percentage is of merged tokens if `tokensBefore` is
/// known, else of live tokens, and says which.
QString dayNightSentence(const monitor::DayNight& figures, double tokensBefore,
                         const QLocale& locale);

}  // namespace mpm::gui
