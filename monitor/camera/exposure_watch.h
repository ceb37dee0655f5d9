// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "monitor/camera/sighting.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// Notices that half of the picture and more is white or black, and far more than is usual in any
/// light that is known: an exposure that is stuck, or a light that shines into the lens.
class ExposureWatch {
 public:
  /// `samples`: single pixels, CV_8U.
  Sighting look(const cv::Mat& samples, LightState light, double elapsedMs);

  struct Usual {
    double white = 0, black = 0;  ///< shares of the picture
    double knownMs = 0;
  };
  using UsualByLight = std::array<Usual, kLightStates>;
  const UsualByLight& usual() const { return usual_; }
  void setUsual(const UsualByLight& usual) { usual_ = usual; }

 private:
  UsualByLight usual_;
};

}  // namespace mpm::monitor
