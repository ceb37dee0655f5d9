// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocale>
#include <QString>
#include <cstddef>
#include <deque>
#include <limits>

#include "monitor/statistics/running.h"
#include "monitor/statistics/series.h"

namespace mpm::gui {

/// Live rows behind the last merge, by day and at night.
struct DayNight {
  /// Means of single days and single nights: each counts once, however many frames it has.
  monitor::Running days, nights;
  /// All frames. May be empty where `days` and `nights` are not.
  monitor::Running dayFrames, nightFrames;
  /// Rows before all merges; NaN where it is not known or not always the same.
  double rowsBefore = std::numeric_limits<double>::quiet_NaN();
};

/// `days` and `nights` from buckets in the order in which they were opened (hours; minutes of a
/// scene that runs fast). Night: the states night and infrared. Dusk, transition and no signal are
/// neither, and end nothing: a night goes on until day, or until 12 hours have passed without it.
/// Days and nights with less than a tenth of the frames of the longest of their kind are left out:
/// a lamp that fails for a minute is no night.
DayNight dayNightOf(const std::deque<monitor::Bucket>& buckets, std::size_t metric);

/// Do more or fewer tokens merge at night than by day? One sentence, or what is missing to say so.
///
/// ± is the standard deviation over nights and over days, not over frames: frames of one night
/// look alike, so that thousands of them say no more about the next night than its mean does. Day
/// and night differ where Welch's t test over these means is sure 19 times in 20; else the
/// sentence says that it is within chance. With fewer than two nights or two days ± is over
/// frames, if there are some, and the sentence says that it is too early.
///
/// More tokens merge where fewer rows live. The percentage is of merged tokens where `rowsBefore`
/// is known, else of live rows, and says which.
QString dayNightSentence(const DayNight& figures, const QLocale& locale);

}  // namespace mpm::gui
