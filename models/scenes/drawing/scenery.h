// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/chance.h"
#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/layout.h"
#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {

/// Draws what is above the street. Smooth parts are computed on a coarse grid and enlarged; noise
/// below a grey step then keeps dark gradients from showing bands.
class Sky {
 public:
  explicit Sky(const Layout& layout);

  /// Draws into the first `rows` rows of `canvas` (CV_8UC4).
  void draw(const Lighting& lighting, double time, int rows, cv::Mat& canvas, Brush& brush);

 private:
  struct Star {
    cv::Point2d at;
    double brightness, phase;
  };
  struct Disc {  // sun or moon
    cv::Point2d at;
    double radius, height;
  };
  Disc discAt(double height, double side, double radius) const;
  double cloudAt(double x, double y) const;
  void workOut(const Lighting& lighting, double time, int rows);
  void enlarge(int rows, cv::Mat& canvas) const;
  double clear(cv::Point2d at) const;  ///< of clouds, 0 to 1
  void drawStars(const Lighting& lighting, double time, cv::Mat& canvas) const;
  void drawDiscs(const Lighting& lighting, Brush& brush) const;

  View view_;
  cv::Mat noise_;   // CV_32F, its sides meet
  cv::Mat dither_;  // CV_16S
  double drift_;    // noise cells a second
  std::vector<Star> stars_;
  cv::Mat coarse_, covered_, fine_;  // CV_16UC3, 64 to a step of grey; CV_32F
};

/// A tree, painted once without light, and bent by the wind row by row for each frame.
class TreePicture {
 public:
  TreePicture(const Layout& layout, const Tree& tree);

  void draw(const Stage& stage) const;
  double z() const { return tree_.z; }
  const Tree& tree() const { return tree_; }

 private:
  struct Span {
    int begin = 0, end = 0;  // of a row's pixels that are not empty
  };
  struct Gains {
    int gain[4], add[4];  // 1024 is 1
  };
  void paint(const Layout& layout);
  double leanAt(const Stage& stage, double share) const;
  void drawRow(const Stage& stage, int row, double shift, const Gains& gains) const;

  Tree tree_;
  cv::Mat picture_;  // CV_8UC4, premultiplied
  cv::Point corner_;
  std::vector<Span> spans_;
};

/// Water on road and pavement: in gutters and wheel tracks first, elsewhere as it rises. Its places
/// follow from the layout alone; its height is `Weather::puddles`.
class Puddles {
 public:
  explicit Puddles(const Layout& layout);

  /// Draws reflections of houses and sky in water, stronger with distance, with trembling rows in
  /// rain. Call it before objects on the ground are drawn.
  void draw(const Stage& stage) const;

 private:
  double cover(int x, int y, double fullness) const;

  cv::Mat
      floods_;  // CV_32F: how full hollows are when water reaches a pixel; kNever or more: never
};

}  // namespace mpm::scenes
