// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/value_axis.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::ValueAxis)
};

constexpr int kMostDecimals = 9;

double roundStep(double atLeast) {
  const double power = std::pow(10.0, std::floor(std::log10(atLeast)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= atLeast * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

void order(double& low, double& high) {
  if (!std::isfinite(low) || !std::isfinite(high) || std::fabs(low) > 1e200 ||
      std::fabs(high) > 1e200) {
    low = 0;
    high = 1;
  }
  if (low > high) std::swap(low, high);
  // Closer together than doubles of this size can be divided: room around.
  const double least = std::max(std::fabs(low), std::fabs(high)) * 1e-9;
  if (high - low <= std::max(least, 1e-12)) {
    const double room = low == 0 ? 1 : std::fabs(low) * 0.05;
    low -= room;
    high += room;
  }
}

ValueAxis axis(double low, double high, int most, bool widen) {
  order(low, high);
  const double step = roundStep((high - low) / std::max(most - 1, 1));
  ValueAxis made;
  // Ends a fifth of a step apart: close around the data, without trembling along with it.
  const double fifth = step / 5;
  made.low = widen ? std::floor(low / fifth + 1e-9) * fifth : low;
  made.high = widen ? std::ceil(high / fifth - 1e-9) * fifth : high;
  made.decimals =
      std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, kMostDecimals);
  const double first = std::ceil(made.low / step - 1e-9);
  const double last = std::floor(made.high / step + 1e-9);
  for (double number = first; number <= last; ++number)
    made.ticks.push_back(number == 0 ? 0.0 : number * step);
  if (made.ticks.empty()) made.ticks.push_back(made.low);
  return made;
}

}  // namespace

QString ValueAxis::label(double tick, const QLocale& locale) const {
  return locale.toString(tick, 'f', decimals);
}

ValueAxis axisAround(double low, double high, int most) { return axis(low, high, most, true); }
ValueAxis axisWithin(double low, double high, int most) { return axis(low, high, most, false); }

int decimalsFor(double size) {
  const double magnitude = std::fabs(size);
  if (!std::isfinite(magnitude) || magnitude >= 99.95 || magnitude == 0) return 0;
  if (magnitude >= 9.995) return 1;
  if (magnitude >= 0.9995) return 2;
  return std::clamp(static_cast<int>(2 - std::floor(std::log10(magnitude))), 3, kMostDecimals);
}

QString percentText(double percent, int decimals, const QLocale& locale) {
  return Words::tr("%1%", "a percentage").arg(locale.toString(percent, 'f', decimals));
}

}  // namespace mpm::gui
