// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/tree.h"

#include <cmath>

#include "models/scenes/drawing/lamp_light.h"
#include "models/scenes/drawing/tree_crown.h"

namespace mpm::scenes {

TreePicture::TreePicture(const Layout& layout, const Tree& tree) : tree_(tree) { paint(layout); }

void TreePicture::paint(const Layout& layout) {
  const View& view = layout.view;
  const double metre = view.metre(tree_.x, tree_.z);
  const cv::Point2d foot = view.at(tree_.x, 0, tree_.z);
  const int half = cvCeil(metre * (tree_.crown * 1.35 + 0.3)) + 2;
  const int above = cvCeil(metre * tree_.height * 1.05) + 3, below = cvCeil(metre * 0.15) + 2;
  corner_ = {cvFloor(foot.x) - half, cvFloor(foot.y) - above};
  picture_ = cv::Mat::zeros(above + below, 2 * half + 1, CV_8UC4);
  cv::Mat labels = cv::Mat::zeros(picture_.size(), CV_8U);
  Brush brush;
  brush.aim(picture_, labels);
  paintTree(brush, tree_, foot - cv::Point2d(corner_), metre);
  spans_.resize(static_cast<std::size_t>(picture_.rows));
  for (int y = 0; y < picture_.rows; ++y) {
    const cv::Vec4b* pixel = picture_.ptr<cv::Vec4b>(y);
    Span& span = spans_[static_cast<std::size_t>(y)];
    span.begin = picture_.cols;
    for (int x = 0; x < picture_.cols; ++x) {
      if (pixel[x][3] == 0) continue;
      span.begin = std::min(span.begin, x);
      span.end = x + 1;
    }
  }
}

// In pixels, at a share of the tree's height: gusts that come and go, slower than leaves do.
double TreePicture::leanAt(const Stage& stage, double share) const {
  const double wind = stage.lighting.weather().wind, t = stage.time;
  const double p = tree_.chance.between(500, 0, 6.28), q = tree_.chance.between(501, 0, 6.28);
  const double gust = 0.55 + 0.45 * std::sin(0.21 * t + 0.3 * tree_.x + q);
  const double swing =
      0.45 + 0.55 * std::sin(1.7 * t + p) + 0.25 * std::sin(3.1 * t + q + 5 * share);
  const double metres = wind * gust * swing * 0.055 * tree_.height;
  return metres * stage.layout.view.metre(tree_.x, tree_.z) * std::pow(share, 1.8);
}

void TreePicture::draw(const Stage& stage) const {
  const double depth = stage.layout.view.depth(tree_.x, tree_.z);
  const Tint tint = stage.lighting.tint({Facing::round, depth, 0.33, 0});
  const double lamp = lampLightAt(stage.layout, {tree_.x, 0.55 * tree_.height, tree_.z});
  Gains gains{};
  for (int c = 0; c < 3; ++c) {
    const double light = tint.shade[c] + tint.sun[c] + tint.lamp[c] * lamp;
    gains.gain[c] = cvRound(1024 * tint.keep * light);
    gains.add[c] = cvRound(1024 * (tint.white[c] * light + tint.add[c]));
  }
  gains.gain[3] = 1024;
  const double foot = stage.layout.view.at(tree_.x, 0, tree_.z).y - corner_.y;
  for (int row = 0; row < picture_.rows; ++row) {
    const double share = std::clamp((foot - row) / foot, 0.0, 1.0);
    drawRow(stage, row, leanAt(stage, share), gains);
  }
}

void TreePicture::drawRow(const Stage& stage, int row, double shift, const Gains& gains) const {
  const int y = corner_.y + row;
  const Span& span = spans_[static_cast<std::size_t>(row)];
  cv::Mat canvas = stage.canvas, labels = stage.labels;
  if (y < 0 || y >= canvas.rows || span.begin >= span.end) return;
  const int whole = cvFloor(shift), part = cvRound(256 * (shift - whole)), left = corner_.x + whole;
  const int begin = std::max(0, left + span.begin),
            end = std::min(canvas.cols, left + span.end + 1);
  cv::Vec4b* out = canvas.ptr<cv::Vec4b>(y);
  std::uint8_t* label = labels.ptr<std::uint8_t>(y);
  const cv::Vec4b* pixel = picture_.ptr<cv::Vec4b>(row);
  for (int x = begin; x < end; ++x) {
    const int from = x - left;  // between this pixel and the one before it
    const cv::Vec4b here = from < span.end ? pixel[from] : cv::Vec4b();
    const cv::Vec4b before = from > span.begin ? pixel[from - 1] : cv::Vec4b();
    int mixture[4];
    for (int c = 0; c < 4; ++c) mixture[c] = (here[c] * (256 - part) + before[c] * part + 128) >> 8;
    const int cover = mixture[3];
    if (cover == 0) continue;
    for (int c = 0; c < 3; ++c) {
      const int lit = (mixture[c] * gains.gain[c] + cover * gains.add[c]) >> 10;
      out[x][c] = static_cast<std::uint8_t>(std::min(255, lit + out[x][c] * (255 - cover) / 255));
    }
    if (cover >= 128) label[x] = static_cast<std::uint8_t>(Class::tree);
  }
}

}  // namespace mpm::scenes
