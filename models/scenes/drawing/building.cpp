// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/scenes/drawing/still_painter.h"

namespace mpm::scenes {
namespace {

Surface surfaceOf(const Building& b, Facing facing) { return {facing, b.front + 1, 0.05}; }

void drawSides(StillPainter& painter, const Building& b) {
  const double back = b.front + b.deep, top = b.height();
  for (const bool left : {true, false}) {
    const double x = left ? b.left : b.right;
    if (left ? x <= 0 : x >= 0) continue;  // it looks away from the camera
    painter.use({surfaceOf(b, left ? Facing::left : Facing::right)});
    std::vector<cv::Point3d> corners = {{x, 0, b.front}, {x, top, b.front}};
    if (b.roof == Roof::ridge) corners.emplace_back(x, top + b.roofHeight, (b.front + back) / 2);
    corners.emplace_back(x, top, back);
    corners.emplace_back(x, 0, back);
    painter.face(corners, b.wall * 0.88);
  }
}

// Courses of bricks, as lines that are only just seen; darker towards the ground.
void drawWallTexture(StillPainter& painter, const Building& b) {
  if (b.bricks) {
    for (double y = 0.25; y < b.height(); y += 0.25) {
      painter.wall(b.left, y, b.right, y + 0.05, b.front, b.wall * 0.8, 0.35);
    }
    for (int i = 0; i < 24; ++i) {
      const double x = b.chance.between(300 + 3 * i, b.left, b.right - 0.5);
      const double y = 0.25 * b.chance.below(301 + 3 * i, static_cast<int>(b.height() / 0.25));
      painter.wall(x, y + 0.05, x + 0.45, y + 0.25, b.front,
                   b.wall * b.chance.between(302 + 3 * i, 0.8, 1.15), 0.6);
    }
  }
  for (int step = 0; step < 3; ++step) {
    painter.wall(b.left, 0, b.right, 0.9 - 0.3 * step, b.front, b.wall * 0.5, 0.14);
  }
}

void drawBands(StillPainter& painter, const Building& b) {
  const Colour plinth = mixed(b.wall, rgb(0x77726A), 0.6) * 0.9;
  painter.wall(b.left, 0, b.right, 0.45, b.front, plinth);
  if (b.chance.happens(20, 0.5)) {
    for (int storey = 1; storey < b.storeys; ++storey) {
      const double y = 0.5 + storey * b.storey;
      painter.wall(b.left, y - 0.08, b.right, y + 0.1, b.front, b.trim, 0.9);
      painter.wall(b.left, y - 0.14, b.right, y - 0.08, b.front, b.wall * 0.6, 0.5);
    }
  }
  if (b.chance.happens(21, 0.4)) {  // corner stones
    for (double y = 0.5; y + 0.3 < b.height(); y += 0.6) {
      painter.wall(b.left, y, b.left + 0.4, y + 0.3, b.front, b.trim, 0.7);
      painter.wall(b.right - 0.4, y, b.right, y + 0.3, b.front, b.trim, 0.7);
    }
  }
}

}  // namespace

void drawBuilding(StillPainter& painter, const Building& b) {
  painter.brush().begin(Class::building);
  drawSides(painter, b);
  drawRoof(painter, b);
  painter.use({surfaceOf(b, Facing::front)});
  painter.wall(b.left, 0, b.right, b.height(), b.front, b.wall);
  drawWallTexture(painter, b);
  drawBands(painter, b);
  // An edge to the neighbour.
  painter.wall(b.left, 0, b.left + 0.07, b.height(), b.front, b.wall * 0.6, 0.7);
  painter.wall(b.right - 0.07, 0, b.right, b.height(), b.front, b.wall * 0.6, 0.7);
  if (b.roof != Roof::stepped && b.roof != Roof::gable) {  // the eaves' shadow
    painter.wall(b.left, b.height() - 0.35, b.right, b.height(), b.front, b.wall * 0.45, 0.35);
  }
  drawWindows(painter, b);
  painter.brush().end();
}

}  // namespace mpm::scenes
