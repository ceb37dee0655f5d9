// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocale>
#include <QString>
#include <vector>

namespace mpm::gui {

/// Round values along an axis: their distance is 1, 2 or 5 times a power of ten.
struct ValueAxis {
  double low = 0, high = 1;   ///< of the axis: low < high, both finite
  std::vector<double> ticks;  ///< within, rising, at least one
  int decimals = 0;           ///< that tell ticks apart

  /// From 0 to 1 inside the axis.
  double share(double value) const { return (value - low) / (high - low); }
  QString label(double tick, const QLocale& locale) const;
};

/// An axis that shows `low` to `high` and ends at fifths of a step. In either order; both the same:
/// some room around. Not finite: 0 to 1. At most `most` ticks, but for two.
ValueAxis axisAround(double low, double high, int most);
/// The same without going beyond `low` and `high`.
ValueAxis axisWithin(double low, double high, int most);

/// As many decimals as show a value of about this size to three figures; none from 100 on.
int decimalsFor(double size);

/// "5.8%", "5,8 %": as the language and the locale write it.
QString percentText(double percent, int decimals, const QLocale& locale);

}  // namespace mpm::gui
