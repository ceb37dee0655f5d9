// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/scenes/drawing/still_painter.h"

namespace mpm::scenes {
namespace {

// Bands are drawn from far to near, each reaching below the next: two edges side by side would let
// the sky shine through between them.
constexpr double kOverlap = 0.5;

Material groundOf(double snow, double wet) {
  Material material{{Facing::up, 20, snow, wet}};
  material.ground = true;
  return material;
}

void drawGrass(StillPainter& painter, double nearZ, double farZ, const Colour& grass) {
  painter.use(groundOf(0.95, 0.2));
  painter.brush().begin(Class::grass);
  painter.groundAcross(nearZ, farZ, grass);
  painter.brush().end();
}

// Slabs: joints across and along.
void drawPavement(StillPainter& painter, double nearZ, double farZ, double slab) {
  const Layout& layout = painter.layout();
  Brush& brush = painter.brush();
  painter.use(groundOf(0.85, 0.8));
  brush.begin(Class::pavement);
  painter.groundAcross(nearZ, farZ, layout.paving);
  const Colour joint = layout.paving * 0.78;
  for (double z = farZ - slab; z > nearZ; z -= slab) {
    painter.groundAcross(z, z + 0.03, joint, 0.6);
  }
  const double left = std::floor(painter.view().leftEnd(farZ) / slab) * slab;
  for (double x = left; x < painter.view().rightEnd(farZ); x += slab) {
    painter.ground(x, x + 0.04, nearZ, farZ, joint, 0.6);
  }
  brush.end();
}

void drawKerb(StillPainter& painter, double z, bool far) {
  const Layout& layout = painter.layout();
  Brush& brush = painter.brush();
  painter.use(groundOf(0.5, 0.6));
  brush.begin(Class::pavement);
  if (far) {  // its upright side shows
    painter.groundAcross(z, z + 0.5, layout.paving * 0.62);
    painter.groundAcross(z + 0.25, z + 0.5, layout.paving * 1.08);
  } else {
    painter.groundAcross(z - 0.2, z, layout.paving * 1.08);
    painter.groundAcross(z - 0.02, z, layout.paving * 0.7);
  }
  brush.end();
}

void drawMarks(StillPainter& painter) {
  const Layout& layout = painter.layout();
  const View& view = painter.view();
  const Colour white = rgb(0xE2E2DC);
  const double length = layout.chance.stream(41).between(0, 1.8, 3.2);
  if (layout.centreLine) {
    const double z = layout.lanesMiddle;
    const double start = std::floor(view.leftEnd(z) / (2 * length)) * 2 * length;
    for (double x = start; x < view.rightEnd(z); x += 2 * length) {
      painter.ground(x, x + length, z - 0.09, z + 0.09, white, 0.88);
    }
  }
  if (layout.cyclePath) {
    painter.groundAcross(layout.cycleEnd - 0.06, layout.cycleEnd + 0.06, white, 0.8);
  }
  if (layout.parking) {
    const double start = std::floor(view.leftEnd(layout.lanesEnd) / 5.6) * 5.6;
    for (double x = start; x < view.rightEnd(layout.farKerb); x += 5.6) {
      painter.ground(x - 0.07, x + 0.07, layout.lanesEnd + 0.1, layout.farKerb, white, 0.7);
    }
  }
  if (layout.crossing) {
    for (double z = layout.nearKerb + 0.3; z < layout.lanesEnd - 0.3; z += 1.0) {
      painter.ground(layout.crossingX - 1.4, layout.crossingX + 1.4, z, z + 0.5, white, 0.86);
    }
  }
}

void drawRoad(StillPainter& painter) {
  const Layout& layout = painter.layout();
  Brush& brush = painter.brush();
  Draw draw(layout.chance.stream(40));
  painter.use(groundOf(0.6, 1));
  brush.begin(Class::road);
  painter.groundAcross(layout.nearKerb - kOverlap, layout.farKerb, layout.asphalt);
  if (layout.cyclePath) {
    const Colour path = draw.happens(0.5) ? rgb(0x9A5548) : layout.asphalt * 1.06;
    painter.groundAcross(layout.nearKerb, layout.cycleEnd, path, 0.75);
  }
  painter.groundAcross(layout.nearKerb, layout.nearKerb + 0.15, layout.asphalt * 0.8, 0.7);
  painter.groundAcross(layout.farKerb - 0.15, layout.farKerb, layout.asphalt * 0.75, 0.8);
  // Wheels have polished the lanes; here and there the surface was mended.
  for (const double z : {layout.cycleEnd + 0.75, layout.cycleEnd + 2.25, layout.lanesMiddle + 0.65,
                         layout.lanesMiddle + 2.1}) {
    painter.groundAcross(z - 0.25, z + 0.25, layout.asphalt * 0.9, 0.4);
  }
  for (int patch = draw.below(4); patch > 0; --patch) {
    const double x = draw.between(-7, 7), z = draw.between(layout.cycleEnd, layout.lanesEnd - 1);
    painter.ground(x, x + draw.between(0.8, 2.5), z, z + draw.between(0.4, 0.9),
                   layout.asphalt * draw.between(0.75, 0.9), 0.8);
  }
  for (int lid = draw.below(3); lid > 0; --lid) {
    const cv::Point3d at(draw.between(-5, 5), 0,
                         draw.between(layout.cycleEnd + 0.5, layout.lanesEnd));
    Outline ring;
    for (int i = 0; i < 20; ++i) {
      const double angle = CV_PI * i / 10;
      ring.push_back(
          painter.view().at(at.x + 0.34 * std::cos(angle), 0, at.z + 0.34 * std::sin(angle)));
    }
    brush.fill(ring, layout.asphalt * 0.62);
  }
  drawMarks(painter);
  brush.end();
}

}  // namespace

void drawGround(StillPainter& painter) {
  const Layout& layout = painter.layout();
  drawGrass(painter, layout.pavementEnd - kOverlap, 85, layout.grass * 0.94);
  const double farPavement = std::max(layout.farKerb, layout.verge);
  drawPavement(painter, farPavement - kOverlap, layout.pavementEnd, 0.9);
  if (layout.verge > 0) drawGrass(painter, layout.farKerb - kOverlap, layout.verge, layout.grass);
  drawRoad(painter);
  drawKerb(painter, layout.farKerb, true);
  drawPavement(painter, 2.5, layout.nearKerb, 0.75);
  drawKerb(painter, layout.nearKerb, false);
  if (layout.nearVerge > 0) drawGrass(painter, 2.5, layout.nearVerge, layout.grass);
}

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
