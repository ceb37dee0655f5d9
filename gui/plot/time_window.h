// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mpm::gui {

/// Which stretch of time is looked at: live (its end is now, and goes on) or held. Knows how far
/// one may go; nothing of widgets.
class TimeWindow {
 public:
  static constexpr std::int64_t kShortestMs = 10'000;
  static constexpr std::int64_t kLongestMs = 2 * 366 * std::int64_t{86'400'000};

  std::int64_t from() const { return to_ - span_; }
  std::int64_t to() const { return to_; }
  std::int64_t span() const { return span_; }
  bool live() const { return live_; }

  /// The time, and where data begins. A live window moves along; whether it moved.
  bool follow(std::int64_t nowUtcMs, std::int64_t oldestUtcMs) {
    now_ = nowUtcMs;
    oldest_ = std::min(oldestUtcMs, nowUtcMs);
    if (!live_ || to_ == now_) return false;
    to_ = now_;
    return true;
  }

  /// The end stays.
  void setSpan(std::int64_t spanMs) { span_ = std::clamp(spanMs, kShortestMs, kLongestMs); }
  /// Held from now on.
  void setRange(std::int64_t fromUtcMs, std::int64_t toUtcMs) {
    live_ = false;
    setSpan(toUtcMs - fromUtcMs);
    to_ = toUtcMs;
  }

  void goLive() {
    live_ = true;
    to_ = now_;
  }

  void goToOldest() {
    to_ = oldest_ + span_;
    live_ = to_ >= now_;
    keepWithin();
  }

  /// A span `factor` times as long, with `anchorUtcMs` staying where it is in the window.
  void zoom(double factor, std::int64_t anchorUtcMs) {
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

  /// To later (positive) or earlier. Whoever reaches now is live again.
  void pan(std::int64_t byMs) {
    const std::int64_t before = to_;
    to_ += byMs;
    if (to_ != before) live_ = to_ >= now_;
    keepWithin();
  }

 private:
  /// A tenth of the window always shows a time that there may be data of.
  void keepWithin() {
    if (live_) to_ = now_;
    if (!live_) to_ = std::max(to_, std::min(oldest_ + span_ / 10, now_));
  }

  std::int64_t now_ = 0, oldest_ = 0;
  std::int64_t span_ = 3'600'000, to_ = 0;
  bool live_ = true;
};

}  // namespace mpm::gui
