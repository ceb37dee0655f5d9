// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

#include "monitor/statistics/series.h"

namespace mpm::monitor {

/// How many of a frame's rows are no tokens of its picture (class tokens, registers), by what is
/// known of its merging: rows `before` all merges and `live` behind them, and which share of the
/// picture's tokens merged. Nothing where none did, or where that is not known.
inline std::optional<double> specialRows(double before, double live, double mergedShare) {
  if (!(mergedShare > 0) || !std::isfinite(before) || !std::isfinite(live)) return std::nullopt;
  return std::round(before - (before - live) / mergedShare);
}

/// The same of a bucket whose frames all have as many.
inline std::optional<double> specialRows(const Tally& before, const Tally& live,
                                         const Tally& mergedShare) {
  return specialRows(before.mean(), live.mean(), mergedShare.mean());
}

/// Of the same values, each less by `amount`.
inline Tally lessBy(Tally tally, double amount) {
  const double count = tally.count;
  tally.squares += amount * (amount * count - 2 * tally.sum);
  tally.sum -= amount * count;
  tally.smallest -= amount;
  tally.largest -= amount;
  return tally;
}

}  // namespace mpm::monitor
