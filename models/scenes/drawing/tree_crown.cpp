// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/tree_crown.h"

#include <cmath>

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

}  // namespace

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

}  // namespace mpm::scenes
