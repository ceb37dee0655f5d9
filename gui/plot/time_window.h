// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  bool follow(std::int64_t nowUtcMs, std::int64_t oldestUtcMs);

  void setSpan(std::int64_t spanMs);                            ///< the end stays
  void setRange(std::int64_t fromUtcMs, std::int64_t toUtcMs);  ///< held from now on
  void goLive();
  void goToOldest();

  /// A span `factor` times as long, with `anchorUtcMs` staying where it is in the window.
  void zoom(double factor, std::int64_t anchorUtcMs);
  /// To later (positive) or earlier. Whoever reaches now is live again.
  void pan(std::int64_t byMs);

 private:
  void keepWithin();

  std::int64_t now_ = 0, oldest_ = 0;
  std::int64_t span_ = 3'600'000, to_ = 0;
  bool live_ = true;
};

}  // namespace mpm::gui
