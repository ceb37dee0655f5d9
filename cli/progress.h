// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>

namespace mpm::cli {

/// The line: "measuring  [=====>    ]  50%, 12 s left". `seconds` went by until now; what is left
/// is left out until there is something to judge by.
inline std::string progressLine(const std::string& what, double share, double seconds) {
  constexpr std::size_t kBar = 28;
  share = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * kBar);
  std::string bar(filled, '=');
  if (filled < kBar) bar += '>';
  bar.resize(kBar, ' ');
  std::string percent = std::to_string(static_cast<int>(share * 100));
  percent.insert(0, 3 - percent.size(), ' ');
  std::string line = what + "  [" + bar + "] " + percent + "%";
  if (share <= 0.02 || seconds <= 1) return line;
  const auto left = static_cast<long>(std::ceil(seconds * (1 - share) / share));
  const bool inSeconds = left < 100;
  return line + ", " + std::to_string(inSeconds ? left : (left + 59) / 60) +
         (inSeconds ? " s left" : " min left");
}

/// A line on the terminal that says how far long work is and how long it will still take. It is
/// gone when this object is. Where stderr is no terminal there is no line; of work that may take
/// minutes there is one every two seconds.
class Progress {
 public:
  enum class Away { silent, lines };

  explicit Progress(std::string what, Away away = Away::silent)
      : what_(std::move(what)), onTerminal_(isatty(2) == 1), away_(away) {}
  ~Progress() {
    if (drawn_ && onTerminal_) std::cerr << kClear << std::flush;
  }

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of the work is done, from 0 to 1. Draws at most ten times a second.
  void show(double share) {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (!onTerminal_) {
      if (away_ == Away::silent || now - (drawn_ ? last_ : start_) < kBetweenLines) return;
      std::cerr << progressLine(what_, share, seconds) << std::endl;
    } else {
      if (drawn_ && now - last_ < kBetween) return;
      std::cerr << kClear << progressLine(what_, share, seconds) << std::flush;
    }
    drawn_ = true;
    last_ = now;
  }

 private:
  static constexpr auto kBetween = std::chrono::milliseconds(100);
  static constexpr auto kBetweenLines = std::chrono::seconds(2);
  static constexpr const char* kClear = "\r\033[K";

  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool onTerminal_, drawn_ = false;
  Away away_;
  Clock::time_point start_ = Clock::now(), last_;
};

}  // namespace mpm::cli
