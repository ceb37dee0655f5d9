// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "monitor/camera/sighting.h"

namespace mpm::monitor {

/// Notices a frozen picture: next to no part of it has changed for three quarters of a minute,
/// where most parts did. A sensor's noise changes all of them all the time; on a frozen picture a
/// clock at most goes on, which the recorder writes into it. A source that hardly ever changed,
/// such as a file that shows one picture, is none of that.
class Stillness {
 public:
  /// `samples`: single pixels, not means, CV_8U. `nowMs`: steady.
  Sighting look(const cv::Mat& samples, std::int64_t nowMs, double elapsedMs);

  struct Usual {
    double changing = 0;  ///< share of the parts
    double knownMs = 0;
  };
  const Usual& usual() const { return usual_; }
  void setUsual(const Usual& usual) { usual_ = usual; }  ///< before the first look

 private:
  void compare(const cv::Mat& samples, std::int64_t nowMs);
  double alive(std::int64_t nowMs, std::int64_t backMs) const;

  cv::Mat before_;
  std::vector<std::int64_t> changedMs_;  // of each part
  Usual usual_;
  bool isStill_ = false;
};

}  // namespace mpm::monitor
