// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/scenes/drawing/still_painter.h"

namespace mpm::scenes {
namespace {

void drawStretch(StillPainter& painter, const Stretch& stretch, const Chance& chance) {
  const Layout& layout = painter.layout();
  const View& view = painter.view();
  const double z = layout.pavementEnd + 0.35, top = layout.hedgeHeight;
  Draw draw(chance);
  painter.brush().begin(Class::hedge);
  painter.use({{Facing::round, z, 0.35}});
  painter.wall(stretch.left, 0, stretch.right, top - 0.06, z, layout.hedge * 0.72);
  painter.use({{Facing::up, z, 0.95}});
  painter.face({{stretch.left, top - 0.06, z},
                {stretch.right, top - 0.06, z},
                {stretch.right, top, z + 0.8},
                {stretch.left, top, z + 0.8}},
               layout.hedge * 1.12);
  painter.use({{Facing::round, z, 0.35}});
  const double metre = view.metre((stretch.left + stretch.right) / 2, z);
  const auto leaves = static_cast<int>((stretch.right - stretch.left) * top * 24);
  for (int i = 0; i < leaves; ++i) {
    const double x = draw.between(stretch.left + 0.05, stretch.right - 0.05), high = draw.uniform();
    const cv::Point2d at = view.at(x, 0.11 + (top - 0.1) * high, z);
    const double shade = 0.6 + 0.45 * high + draw.between(-0.16, 0.16);
    const double radius = metre * draw.between(0.06, 0.12);
    painter.brush().fill(ellipse(at, radius * 1.2, radius, 7), layout.hedge * shade, 0.8);
  }
  painter.brush().end();
}

}  // namespace

void drawHedges(StillPainter& painter) {
  const Layout& layout = painter.layout();
  for (std::size_t i = 0; i < layout.hedges.size(); ++i) {
    drawStretch(painter, layout.hedges[i], layout.chance.stream(700 + i));
  }
}

}  // namespace mpm::scenes
