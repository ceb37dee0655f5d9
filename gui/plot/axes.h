// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFontMetrics>
#include <QLocale>
#include <QPainter>
#include <QPalette>
#include <QRect>
#include <QString>
#include <QTime>
#include <QTimeZone>
#include <cstdint>
#include <vector>

/// Axes: round values, and grid lines and labels around `plot`, the rectangle of the data. Labels
/// that would touch another are left out.
namespace mpm::gui {

/// Round values along an axis, 1, 2 or 5 times a power of ten apart.
struct ValueAxis {
  double low = 0, high = 1;   ///< of the axis: low < high, both finite
  std::vector<double> ticks;  ///< within, rising, at least one
  int decimals = 0;           ///< that tell ticks apart

  /// Returns 0 to 1 inside the axis.
  double share(double value) const { return (value - low) / (high - low); }
  QString label(double tick, const QLocale& locale) const;
};

/// Returns an axis that shows `low` to `high`, in any order, and ends at fifths of a step. Equal
/// values get some room; values that are not finite give 0 to 1. It has at most `most` ticks, but
/// always two if doubles can tell them apart: one alone would not show the scale.
ValueAxis axisAround(double low, double high, int most);
/// Returns an axis within `low` and `high`.
ValueAxis axisWithin(double low, double high, int most);

/// Returns the decimals that show a value of about this size to three figures; 0 from 100 on.
int decimalsFor(double size);

/// Returns "1,234 rows", to three figures at least; `unit` may be empty.
QString valueText(double value, const QString& unit, const QLocale& locale);
/// Appends the unit to a formatted number.
QString withUnit(const QString& number, const QString& unit);

/// Returns "5.8%", "5,8 %", as the language and the locale write it.
QString percentText(double percent, int decimals, const QLocale& locale);

constexpr int kAxisGap = 6;  ///< between a label and the plot

/// Returns the room that labels need left of the plot.
int valueAxisWidth(const ValueAxis& axis, const QFontMetrics& metrics, const QLocale& locale);
/// Returns about how many ticks fit into a length in pixels, upwards and along.
int ticksUpwards(int height, const QFontMetrics& metrics);
int ticksAlong(int width, const QFontMetrics& metrics);

/// Draws values upwards, with labels on the left.
void drawValuesUpwards(QPainter& painter, const QRect& plot, const ValueAxis& axis,
                       const QPalette& palette, const QLocale& locale);
/// Draws values to the right, with labels below.
void drawValuesAlong(QPainter& painter, const QRect& plot, const ValueAxis& axis,
                     const QPalette& palette, const QLocale& locale);

/// A stretch of time on `columns` columns of pixels.
struct TimeScale {
  std::int64_t fromUtcMs = 0, toUtcMs = 1;  ///< from < to
  int columns = 1;

  double msPerColumn() const { return static_cast<double>(toUtcMs - fromUtcMs) / columns; }
  double columnOf(std::int64_t utcMs) const {
    return static_cast<double>(utcMs - fromUtcMs) / msPerColumn();
  }
  std::int64_t utcMsOf(double column) const {
    return fromUtcMs + static_cast<std::int64_t>(column * msPerColumn());
  }
};

/// A natural position on a time axis: full seconds, minutes, hours, midnights, Mondays, first days
/// of months and years, in local time.
struct TimeTick {
  std::int64_t utcMs = 0;
  QString label;  ///< "14:05", "Mon 3", "Mar"
  QString
      context;  ///< the date, month or year that the label leaves out: "Mon 3 Mar 2025", or empty
};

/// Returns the ticks from `fromUtcMs` to `toUtcMs`, in order, about `most` or fewer. A repeated
/// hour appears twice, a skipped one not at all. Empty if from >= to.
std::vector<TimeTick> timeTicks(std::int64_t fromUtcMs, std::int64_t toUtcMs, int most,
                                const QTimeZone& zone, const QLocale& locale);

/// Returns a time of day as the locale writes it: "7:05 PM", "19:05:12".
QString clockText(QTime time, bool seconds, const QLocale& locale);

/// Returns a moment with its date, to the minute or to the second.
QString momentText(std::int64_t utcMs, bool seconds, const QTimeZone& zone, const QLocale& locale);

int timeAxisHeight(const QFontMetrics& metrics);
/// Draws time to the right with labels below: times of day, and under them the date, which leaves
/// `reserved` pixels free at its right end.
void drawTime(QPainter& painter, const QRect& plot, std::int64_t fromUtcMs, std::int64_t toUtcMs,
              const QPalette& palette, const QTimeZone& zone, const QLocale& locale,
              int reserved = 0);

}  // namespace mpm::gui
