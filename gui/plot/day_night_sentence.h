// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocale>
#include <QString>

#include "monitor/statistics/comparison.h"

namespace mpm::gui {

/// What is said of days and of nights, wherever the app does: of days that count, one by one, where
/// there is one; else of all frames by day.
inline const monitor::Running& shownDay(const monitor::DayNight& figures) {
  return figures.days.count() > 0 ? figures.days : figures.dayFrames;
}
inline const monitor::Running& shownNight(const monitor::DayNight& figures) {
  return figures.nights.count() > 0 ? figures.nights : figures.nightFrames;
}

/// Do more or fewer tokens merge at night than by day? One sentence, or what is missing to say so.
/// `figures` are of live tokens of the picture behind the last merge; `tokensBefore` all merges,
/// NaN where that is not known or not always the same.
///
/// Each side is shownDay or shownNight. ± is the standard deviation over nights and over days, not
/// over frames, but where there are only frames. Day and night differ where
/// monitor::nightsAgainstDays is sure of it; else the sentence says the difference and that more
/// nights are needed, or where it is surely less than 1% of live tokens of the picture that they
/// are alike. With fewer than two nights or two days it says that it is too early.
///
/// More tokens merge where fewer tokens live. The percentage is of merged tokens where
/// `tokensBefore` is known, else of live tokens of the picture, and says which.
QString dayNightSentence(const monitor::DayNight& figures, double tokensBefore,
                         const QLocale& locale);

}  // namespace mpm::gui
