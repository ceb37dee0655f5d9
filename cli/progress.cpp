// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <utility>

namespace mpm::cli {
namespace {

constexpr std::size_t kBar = 28;
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr const char* kClear = "\r\033[K";

std::string timeText(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 100) return std::to_string(whole) + " s";
  return std::to_string((whole + 59) / 60) + " min";
}

}  // namespace

std::string progressLine(const std::string& what, double share, double seconds) {
  share = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * kBar);
  std::string bar(filled, '=');
  if (filled < kBar) bar += '>';
  bar.resize(kBar, ' ');
  std::string percent = std::to_string(static_cast<int>(share * 100));
  percent.insert(0, 3 - percent.size(), ' ');
  std::string line = what + "  [" + bar + "] " + percent + "%";
  if (share > 0.02 && seconds > 1) line += ", " + timeText(seconds * (1 - share) / share) + " left";
  return line;
}

Progress::Progress(std::string what) : what_(std::move(what)), onTerminal_(isatty(2) == 1) {}

Progress::~Progress() {
  if (drawn_) std::cerr << kClear << std::flush;
}

void Progress::show(double share) {
  const Clock::time_point now = Clock::now();
  if (!onTerminal_ || (drawn_ && now - last_ < kBetween)) return;
  std::cerr << kClear
            << progressLine(what_, share, std::chrono::duration<double>(now - start_).count())
            << std::flush;
  drawn_ = true;
  last_ = now;
}

}  // namespace mpm::cli
