// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/time_window.h"

#include <algorithm>
#include <cmath>

namespace mpm::gui {

bool TimeWindow::follow(std::int64_t nowUtcMs, std::int64_t oldestUtcMs) {
  now_ = nowUtcMs;
  oldest_ = std::min(oldestUtcMs, nowUtcMs);
  if (!live_ || to_ == now_) return false;
  to_ = now_;
  return true;
}

void TimeWindow::setSpan(std::int64_t spanMs) {
  span_ = std::clamp(spanMs, kShortestMs, kLongestMs);
}

void TimeWindow::setRange(std::int64_t fromUtcMs, std::int64_t toUtcMs) {
  live_ = false;
  setSpan(toUtcMs - fromUtcMs);
  to_ = toUtcMs;
}

void TimeWindow::goLive() {
  live_ = true;
  to_ = now_;
}

void TimeWindow::goToOldest() {
  to_ = oldest_ + span_;
  live_ = to_ >= now_;
  keepWithin();
}

void TimeWindow::zoom(double factor, std::int64_t anchorUtcMs) {
  if (!std::isfinite(factor) || factor <= 0) return;
  const std::int64_t before = span_;
  const std::int64_t behind = to_ - anchorUtcMs;
  setSpan(static_cast<std::int64_t>(
      std::min(static_cast<double>(span_) * factor, static_cast<double>(kLongestMs))));
  if (span_ == before) return;
  // Small anchors' distances as shares of the span: no drift from zooming in and out.
  to_ = anchorUtcMs + static_cast<std::int64_t>(
                          std::llround(static_cast<double>(behind) * static_cast<double>(span_) /
                                       static_cast<double>(before)));
  live_ = to_ >= now_;
  keepWithin();
}

void TimeWindow::pan(std::int64_t byMs) {
  const std::int64_t before = to_;
  to_ += byMs;
  if (to_ != before) live_ = to_ >= now_;
  keepWithin();
}

/// A tenth of the window always shows a time that there may be data of.
void TimeWindow::keepWithin() {
  if (live_) to_ = now_;
  if (!live_) to_ = std::max(to_, std::min(oldest_ + span_ / 10, now_));
}

}  // namespace mpm::gui
