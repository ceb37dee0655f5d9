// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/tree.h"

#include <cmath>

#include "models/scenes/drawing/lighting.h"

namespace mpm::scenes {
namespace {

struct Crown {
  cv::Point2d centre;
  double radiusX, radiusY;
};

// Leaves in bunches: dark ones first, lighter and smaller ones towards the top and one side.
void paintLeaves(Brush& brush, Draw& draw, const Crown& crown, const Colour& leaves, int bunches) {
  for (int i = 0; i < 14; ++i) {
    const double angle = 2 * CV_PI * i / 14, r = draw.between(0.5, 0.68);
    brush.fill(ellipse({crown.centre.x + r * crown.radiusX * std::cos(angle),
                        crown.centre.y + r * crown.radiusY * std::sin(angle)},
                       crown.radiusX * draw.between(0.3, 0.42),
                       crown.radiusY * draw.between(0.28, 0.4), 14),
               leaves * draw.between(0.5, 0.58));
  }
  brush.fill(ellipse(crown.centre, 0.7 * crown.radiusX, 0.7 * crown.radiusY), leaves * 0.54);
  for (int i = 0; i < bunches; ++i) {
    const double light = static_cast<double>(i) / bunches;  // from below and behind to above
    const double angle = draw.between(0, 2 * CV_PI), r = 0.98 * std::sqrt(draw.uniform());
    const double reach = 1 - 0.25 * light;
    const cv::Point2d at(
        crown.centre.x + crown.radiusX * (reach * r * std::cos(angle) - 0.12 * light),
        crown.centre.y + crown.radiusY * (reach * r * std::sin(angle) - 0.22 * light + 0.05));
    const double height = (crown.centre.y - at.y) / crown.radiusY;
    const double size = crown.radiusX * draw.between(0.07, 0.15) * (1.15 - 0.45 * light);
    const double shade = 0.6 + 0.3 * light + 0.2 * height + draw.between(-0.09, 0.09);
    brush.fill(ellipse(at, size * draw.between(1, 1.4), size, 9), leaves * shade, 0.9);
  }
}

void paintConifer(Brush& brush, Draw& draw, const Tree& tree, cv::Point2d foot, double metre) {
  constexpr int kLayers = 9;
  for (int layer = 0; layer < kLayers; ++layer) {
    const double share = static_cast<double>(layer) / kLayers;
    const double low = foot.y - metre * mixed(0.7, tree.height * 0.9, share);
    const double high = low - metre * tree.height * 0.24;
    const double half = metre * tree.crown * (1 - share) * draw.between(0.92, 1.08) + 0.12 * metre;
    Outline outline{{foot.x, std::max(high, foot.y - metre * tree.height)}};
    constexpr int kTips = 9;
    for (int tip = 0; tip <= kTips; ++tip) {
      const double x = foot.x + half * (1 - 2.0 * tip / kTips);
      const double droop = 0.2 * metre * std::abs(1 - 2.0 * tip / kTips);
      outline.emplace_back(x, low + droop + 0.1 * metre * draw.uniform());
      if (tip < kTips)
        outline.emplace_back(x - half / kTips, low + droop - 0.2 * metre * draw.between(0.6, 1));
    }
    brush.fill(outline, tree.leaves * (0.66 + 0.34 * share + draw.between(-0.04, 0.04)));
    for (int needle = 0; needle < 12; ++needle) {
      const double t = draw.uniform(), x = foot.x + half * t * draw.between(-0.85, 0.7);
      const double y = mixed(high, low, t);
      brush.fill(stroke({x, y}, {x - 0.1 * metre, y + 0.22 * metre}, 0.1 * metre, 0.05 * metre),
                 tree.leaves * draw.between(0.85, 1.2), 0.6);
    }
  }
}

// A tree's trunk and leaves, without light. `metre` in pixels.
void paintTree(Brush& brush, const Tree& tree, cv::Point2d foot, double metre) {
  Draw draw(tree.chance);
  const Colour bark = mixed(rgb(0x6B5443), rgb(0x7A7068), draw.uniform());
  const double width = metre * (0.2 + 0.022 * tree.height);
  const double stem = tree.kind == TreeKind::round ? 0.62 : 0.5;
  const cv::Point2d top = foot - cv::Point2d(0, metre * tree.height * stem);
  brush.fill(stroke(foot - cv::Point2d(0, 0.4 * width), top, width * 1.2, width * 0.6),
             bark * 0.85);
  brush.fill(stroke(foot - cv::Point2d(0.25 * width, 0.6 * width),
                    top - cv::Point2d(0.1 * width, 0), width * 0.4, width * 0.2),
             bark * 1.15);
  if (tree.kind == TreeKind::conifer) {
    paintConifer(brush, draw, tree, foot, metre);
    return;
  }
  const bool poplar = tree.kind == TreeKind::poplar;
  const double bottom = poplar ? 0.9 : std::max(1.5, tree.height - 2.5 * tree.crown);
  const Crown crown{foot - cv::Point2d(0, metre * (bottom + tree.height) / 2), metre * tree.crown,
                    metre * (tree.height - bottom) / 2};
  if (!poplar) {
    for (const double side : {-1.0, 1.0}) {
      const cv::Point2d fork = foot - cv::Point2d(0, metre * bottom * draw.between(0.75, 0.95));
      brush.fill(stroke(fork, crown.centre + cv::Point2d(side * 0.5 * crown.radiusX, 0),
                        width * 0.6, width * 0.25),
                 bark * 0.8);
    }
  }
  paintLeaves(brush, draw, crown, tree.leaves, poplar ? 190 : 230);
}

}  // namespace

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
