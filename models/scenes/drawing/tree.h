// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/layout.h"
#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {

/// A tree, painted once without light, and leant by the wind row by row for each picture.
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

}  // namespace mpm::scenes
