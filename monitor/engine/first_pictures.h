// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "monitor/engine/watched.h"

namespace mpm::monitor {

/// Of each of the first four sources its first picture and one of about a second later, by when a
/// camera has found its exposure. Sources are opened at once and closed again; what does not come
/// within `patience` is missing.
inline std::vector<cv::Mat> firstPictures(const EngineOptions& options,
                                          std::chrono::milliseconds patience,
                                          Clock& clock = systemClock()) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  constexpr std::size_t kMostSources = 4;
  constexpr milliseconds kApart{1000};
  std::vector<std::unique_ptr<Capture>> captures;
  for (const NamedSource& source : options.sources) {
    if (captures.size() < kMostSources) captures.push_back(makeCapture(source, options, clock));
  }
  const auto end = steady_clock::now() + patience;
  const auto left = [](steady_clock::time_point until) {
    return std::max(milliseconds(0),
                    std::chrono::duration_cast<milliseconds>(until - steady_clock::now()));
  };
  std::vector<cv::Mat> pictures;
  for (const auto& capture : captures) {
    auto frame = capture->next(left(end));
    if (!frame) continue;
    pictures.push_back(frame->picture);
    const auto later = std::min(end, steady_clock::now() + kApart);
    cv::Mat second;
    while ((frame = capture->next(left(later)))) second = frame->picture;
    if (!second.empty()) pictures.push_back(second);
  }
  return pictures;
}

}  // namespace mpm::monitor
