// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "models/scenes/drawing/layout.h"
#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {

/// Water that stands on road and pavement: in gutters and wheel tracks first, elsewhere as it
/// rises. Where it can stand follows from the layout alone; how high it does, `Weather::puddles`.
class Puddles {
 public:
  explicit Puddles(const Layout& layout);

  /// What lies under water mirrors houses and sky, the more the farther away, with rows that
  /// tremble where it rains. Before anything stands on the ground.
  void draw(const Stage& stage) const;

  /// `mask`: CV_8U, 255 where at least half of a pixel shows water; 0 where something stands before
  /// it by `labels`.
  void mark(double fullness, const cv::Mat& labels, cv::Mat& mask) const;

 private:
  double cover(int x, int y, double fullness) const;

  cv::Mat
      floods_;  // CV_32F: how full hollows are when water reaches a pixel; kNever or more: never
};

}  // namespace mpm::scenes
