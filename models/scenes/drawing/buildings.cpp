// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "models/scenes/drawing/still.h"

namespace mpm::scenes {
namespace {

struct RoofPainter {
  StillPainter& painter;
  const Building& b;
  double eaves = b.height(), ridge = eaves + b.roofHeight, back = b.front + b.deep;

  void use(Facing facing) { painter.use({{facing, b.front + 2, 0.9}}); }

  void chimney(double x, double z, double foot, double top) {
    painter.use({{Facing::front, z, 0.1}});
    const Colour brick = mixed(b.wall, rgb(0x8A4F3D), 0.6) * 0.85;
    painter.wall(x, foot, x + 0.75, top, z, brick);
    painter.wall(x - 0.08, top - 0.2, x + 0.83, top, z, brick * 0.75);
    painter.wall(x + 0.12, top, x + 0.3, top + 0.28, z, rgb(0x9C5B40));
    painter.wall(x + 0.44, top, x + 0.62, top + 0.28, z, rgb(0x9C5B40));
  }

  // Draws rows of tiles on a slope that leans back from the eaves.
  void slope(double inset, double topY, double topZ) {
    use(Facing::slope);
    const double over = 0.2;
    painter.face({{b.left - over, eaves - 0.1, b.front - 0.3},
                  {b.right + over, eaves - 0.1, b.front - 0.3},
                  {b.right + over - inset, topY, topZ},
                  {b.left - over + inset, topY, topZ}},
                 b.roofing);
    const int rows = static_cast<int>((topY - eaves) / 0.3);
    for (int row = 1; row < rows; ++row) {
      const double t = static_cast<double>(row) / rows, y = mixed(eaves - 0.1, topY, t);
      const double z = mixed(b.front - 0.3, topZ, t), in = inset * t - over;
      painter.face({{b.left + in, y, z},
                    {b.right - in, y, z},
                    {b.right - in, y + 0.07, z},
                    {b.left + in, y + 0.07, z}},
                   b.roofing * 0.78, 0.5);
    }
    painter.use({{Facing::front, b.front, 0.1}});  // gutter
    painter.wall(b.left - over, eaves - 0.22, b.right + over, eaves - 0.05, b.front - 0.3,
                 b.roofing * 0.55);
  }

  void dormers() {
    const int count = b.chance.below(30, 3);
    for (int i = 0; i < count; ++i) {
      const double x = mixed(b.left, b.right, (i + 0.5) / count), y = eaves + 0.3;
      painter.use({{Facing::front, b.front, 0.1}});
      painter.face({{x - 0.8, y, b.front + 0.3},
                    {x - 0.8, y + 1.15, b.front + 0.3},
                    {x, y + 1.75, b.front + 0.3},
                    {x + 0.8, y + 1.15, b.front + 0.3},
                    {x + 0.8, y, b.front + 0.3}},
                   b.trim * 0.9);
      use(Facing::slope);
      painter.face({{x - 1.0, y + 1.0, b.front + 0.3},
                    {x, y + 1.75, b.front + 0.3},
                    {x + 1.0, y + 1.0, b.front + 0.3},
                    {x + 1.0, y + 1.25, b.front + 0.3},
                    {x, y + 2.0, b.front + 0.3},
                    {x - 1.0, y + 1.25, b.front + 0.3}},
                   b.roofing * 0.9);
      const int window =
          painter.addWindow({b.chance.uniform(33 + i), rgb(0xFFCF86), b.chance.stream(33 + i)});
      painter.use({{Facing::front, b.front}, window, 0.12});
      painter.wall(x - 0.45, y + 0.15, x + 0.45, y + 1.1, b.front + 0.3, rgb(0x4C5A68));
    }
  }

  void flat() {
    painter.use({{Facing::front, b.front, 0.1}});
    painter.wall(b.left - 0.1, eaves, b.right + 0.1, ridge, b.front - 0.1, b.trim * 0.85);
    use(Facing::up);
    painter.face({{b.left - 0.1, ridge, b.front - 0.1},
                  {b.right + 0.1, ridge, b.front - 0.1},
                  {b.right, ridge, b.front + 0.3},
                  {b.left, ridge, b.front + 0.3}},
                 b.trim);
    if (b.chance.happens(31, 0.5)) {
      const double x = b.chance.between(32, b.left + 0.5, b.right - 2.5);
      painter.use({{Facing::front, b.front + 4, 0.3}});
      painter.wall(x, eaves, x + 1.8, ridge + 1.3, b.front + 4, rgb(0x8D9296));
    }
  }

  // Draws a front that rises to a point, or in steps.
  void gable(bool steps) {
    const double middle = (b.left + b.right) / 2, half = (b.right - b.left) / 2;
    std::vector<cv::Point3d> front;
    if (!steps) {
      use(Facing::slope);  // the roof's edge shows around the wall
      painter.face({{b.left - 0.35, eaves - 0.35, b.front - 0.2},
                    {middle, ridge + 0.5, b.front - 0.2},
                    {b.right + 0.35, eaves - 0.35, b.front - 0.2}},
                   b.roofing);
      front = {{b.left, eaves, b.front}, {middle, ridge + 0.1, b.front}, {b.right, eaves, b.front}};
    } else {
      constexpr int kSteps = 5;
      for (int i = 0; i < kSteps; ++i) {
        const double y = eaves + b.roofHeight * (i + 1) / kSteps;
        front.emplace_back(middle - half * (kSteps - i) / kSteps, y, b.front);
        front.emplace_back(middle - half * (kSteps - i - 1) / (kSteps + 0.8), y, b.front);
      }
      for (int i = 2 * kSteps; i-- > 0;) {
        front.emplace_back(2 * middle - front[i].x, front[i].y, b.front);
      }
      front.emplace_back(b.right, eaves, b.front);
      front.emplace_back(b.left, eaves, b.front);
    }
    painter.use({{Facing::front, b.front, 0.1}});
    painter.face(front, b.wall);
    const int window =
        painter.addWindow({b.chance.uniform(36), rgb(0xFFC978), b.chance.stream(36)});
    const double y = eaves + 0.3 * b.roofHeight;
    painter.wall(middle - 0.6, y - 0.1, middle + 0.6, y + 1.2, b.front, b.trim);
    painter.use({{Facing::front, b.front}, window, 0.12});
    painter.wall(middle - 0.45, y, middle + 0.45, y + 1.1, b.front, rgb(0x4C5A68));
  }
};

void drawRoof(StillPainter& painter, const Building& b) {
  RoofPainter roof{painter, b};
  const double middle = (b.front + roof.back) / 2;
  const double chimneyX = b.chance.happens(37, 0.5) ? b.left + 0.4 : b.right - 1.2;
  const bool chimney = b.chance.happens(38, 0.65);
  switch (b.roof) {
    case Roof::flat:
      roof.flat();
      return;
    case Roof::ridge:
      if (chimney) roof.chimney(chimneyX, middle, roof.ridge - 0.6, roof.ridge + 0.9);
      roof.slope(0, roof.ridge, middle);
      roof.dormers();
      return;
    case Roof::hip:
      if (chimney)
        roof.chimney(mixed(b.left, b.right, 0.4), middle, roof.ridge - 0.6, roof.ridge + 0.8);
      roof.slope(std::min(2.2, 0.35 * (b.right - b.left)), roof.ridge, middle);
      return;
    case Roof::mansard:
      if (chimney) roof.chimney(chimneyX, b.front + 2, roof.ridge - 0.5, roof.ridge + 0.9);
      roof.slope(0.35, roof.ridge, b.front + 0.7);
      roof.dormers();
      return;
    case Roof::gable:
    case Roof::stepped:
      roof.gable(b.roof == Roof::stepped);
      return;
  }
}

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

// Draws courses of bricks as barely visible lines, darker towards the ground.
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
  // Draws an edge to the neighbour.
  painter.wall(b.left, 0, b.left + 0.07, b.height(), b.front, b.wall * 0.6, 0.7);
  painter.wall(b.right - 0.07, 0, b.right, b.height(), b.front, b.wall * 0.6, 0.7);
  if (b.roof != Roof::stepped && b.roof != Roof::gable) {  // the eaves' shadow
    painter.wall(b.left, b.height() - 0.35, b.right, b.height(), b.front, b.wall * 0.45, 0.35);
  }
  drawWindows(painter, b);
  painter.brush().end();
}

namespace {

const Colour kGlass = rgb(0x4A5866);

struct FacadePainter {
  StillPainter& painter;
  const Building& b;
  double cell = (b.right - b.left) / b.columns;
  double windowWidth = cell * b.chance.between(40, 0.42, 0.6);
  double windowHeight = b.storey * b.chance.between(41, 0.46, 0.6);
  int style = b.chance.below(42, 4);
  Surface front{Facing::front, b.front, 0.05};

  void pane(double left, double bottom, double right, double top, const Chance& chance,
            double threshold) {
    constexpr std::array<unsigned, 5> kGlow = {0xFFBE62, 0xFFCB80, 0xFFAE4E, 0xFFDFAE, 0xA9C6FF};
    const int kind = chance.happens(0, 0.9) ? chance.below(1, 4) : 4;
    const int window = painter.addWindow(
        {threshold, rgb(kGlow[kind]) * chance.between(2, 0.7, 1), chance.stream(9)});
    painter.use({front, window, 0.1});
    painter.wall(left, bottom, right, top, b.front, kGlass * chance.between(3, 0.75, 1.1));
    // Draws the reflected sky, and the curtains.
    const double height = top - bottom, width = right - left;
    painter.face({{left, top, b.front},
                  {left + 0.6 * width, top, b.front},
                  {left, top - 0.7 * height, b.front}},
                 rgb(0x8EA3B8), 0.35);
    const Colour cloth = mixed(rgb(0xE8E2D6), rgb(0xC7A58A), chance.uniform(4));
    switch (chance.below(5, 5)) {
      case 0:
        painter.wall(left, bottom, left + 0.24 * width, top, b.front, cloth, 0.7);
        painter.wall(right - 0.24 * width, bottom, right, top, b.front, cloth, 0.7);
        break;
      case 1:
        painter.wall(left, top - 0.45 * height, right, top, b.front, cloth, 0.75);
        break;
      case 2:
        painter.wall(left, bottom, right, bottom + 0.4 * height, b.front, cloth, 0.6);
        break;
      default:
        break;
    }
  }

  void window(double x, double bottom, const Chance& chance) {
    const double left = x - windowWidth / 2, right = x + windowWidth / 2;
    const double top = bottom + windowHeight, frame = 0.09;
    painter.use({front});
    painter.wall(left - 0.12, bottom - 0.12, right + 0.12, top + 0.12, b.front, b.trim);
    if (style == 1)
      painter.wall(left - 0.2, top + 0.12, right + 0.2, top + 0.3, b.front, b.trim * 0.85);
    painter.wall(left, bottom, right, top, b.front, b.trim * 0.6);
    pane(left + frame * 0.5, bottom + frame * 0.5, right - frame * 0.5, top - frame * 0.5, chance,
         chance.uniform(20));
    painter.use({front});
    const Colour bar = b.trim * 0.92;
    if (style != 3) painter.wall(x - 0.045, bottom, x + 0.045, top, b.front, bar);
    if (style == 0 || style == 2) {
      const double y = bottom + windowHeight * (style == 0 ? 0.66 : 0.5);
      painter.wall(left, y - 0.04, right, y + 0.04, b.front, bar);
    }
    painter.use({{Facing::up, b.front, 0.9}});
    painter.wall(left - 0.18, bottom - 0.22, right + 0.18, bottom - 0.08, b.front - 0.1,
                 b.trim * 0.88);
    painter.use({front});
    if (b.shutters) {
      const double width = windowWidth * 0.42;
      painter.wall(left - 0.14 - width, bottom, left - 0.14, top, b.front, b.door);
      painter.wall(right + 0.14, bottom, right + 0.14 + width, top, b.front, b.door);
      for (double y = bottom + 0.15; y < top - 0.1; y += 0.22) {
        painter.wall(left - 0.1 - width, y, left - 0.18, y + 0.06, b.front, b.door * 0.7, 0.7);
        painter.wall(right + 0.18, y, right + 0.1 + width, y + 0.06, b.front, b.door * 0.7, 0.7);
      }
    }
  }

  void balcony(double x, double floor) {
    const double half = windowWidth / 2 + 0.45;
    painter.use({{Facing::front, b.front, 0.3}});
    painter.wall(x - half, floor - 0.15, x + half, floor, b.front - 0.6, b.trim * 0.75);
    const Colour iron = rgb(0x34383C);
    painter.wall(x - half, floor + 0.85, x + half, floor + 0.93, b.front - 0.6, iron);
    for (double rail = x - half; rail < x + half; rail += 0.22) {
      painter.wall(rail, floor, rail + 0.05, floor + 0.85, b.front - 0.6, iron, 0.9);
    }
  }

  void door(double x) {
    painter.use({front});
    const double half = std::min(0.55, cell * 0.32), top = 2.5;
    painter.wall(x - half - 0.16, 0, x + half + 0.16, top + 0.2, b.front, b.trim);
    painter.wall(x - half, 0, x + half, top, b.front, b.door);
    painter.wall(x - half + 0.14, 0.3, x + half - 0.14, 1.05, b.front, b.door * 0.78);
    pane(x - half + 0.14, 1.35, x + half - 0.14, top - 0.2, b.chance.stream(70),
         b.chance.uniform(71));
    painter.use({{Facing::up, b.front, 0.7}});
    painter.wall(x - half - 0.25, 0, x + half + 0.25, 0.16, b.front - 0.3, rgb(0xA8A49C));
  }

  void shop() {
    constexpr std::array<unsigned, 6> kAwning = {0xB23A3A, 0x2F6B4F, 0x2F4F86,
                                                 0xC98A2B, 0x6B3F6B, 0x3C3C3C};
    const double left = b.left + 0.4, right = b.right - 0.4, sign = 0.5 + b.storey;
    const Colour paint = rgb(kAwning[b.chance.below(50, 6)]);
    painter.use({front});
    painter.wall(left, 0, right, sign - 0.1, b.front, paint * 0.55);
    const int panes = std::max(2, static_cast<int>((right - left) / 2));
    const double width = (right - left) / panes;
    const int doorAt = b.chance.below(51, panes);
    for (int i = 0; i < panes; ++i) {
      const double x = left + i * width;
      const double low = i == doorAt ? 0.15 : 0.6;
      pane(x + 0.12, low, x + width - 0.12, sign - 0.65, b.chance.stream(52 + i),
           0.12 + 0.2 * b.chance.uniform(60 + i));
    }
    painter.use({front});
    painter.wall(left, sign - 0.55, right, sign - 0.05, b.front - 0.05, paint);
    double x = left + 0.5;
    for (int letter = 0; x < right - 0.7; ++letter) {  // as good as letters at this distance
      const double w = b.chance.between(80 + letter, 0.12, 0.3);
      painter.wall(x, sign - 0.42, x + w, sign - 0.18, b.front - 0.05, rgb(0xF2E8D0), 0.9);
      x += w + 0.12;
    }
    if (b.chance.happens(53, 0.6)) awning(left, right, sign - 0.6, paint);
  }

  void awning(double left, double right, double y, const Colour& paint) {
    painter.use({{Facing::slope, b.front - 0.8, 0.8}});
    const int stripes = static_cast<int>((right - left) / 0.45);
    const double width = (right - left) / stripes;
    for (int i = 0; i < stripes; ++i) {
      const double x = left + i * width;
      const Colour stripe = i % 2 == 0 ? paint : rgb(0xEFE9DC);
      painter.face({{x, y, b.front},
                    {x + width, y, b.front},
                    {x + width, y - 0.5, b.front - 1.0},
                    {x, y - 0.5, b.front - 1.0}},
                   stripe);
      painter.wall(x, y - 0.68, x + width, y - 0.5, b.front - 1.0, stripe * 0.85);
    }
  }
};

}  // namespace

void drawWindows(StillPainter& painter, const Building& b) {
  FacadePainter facade{painter, b};
  const int doorColumn = b.chance.below(43, b.columns);
  for (int storey = 0; storey < b.storeys; ++storey) {
    if (storey == 0 && b.shop) {
      facade.shop();
      continue;
    }
    const double floor = 0.5 + storey * b.storey;
    for (int column = 0; column < b.columns; ++column) {
      const double x = b.left + (column + 0.5) * facade.cell;
      const std::uint64_t number = 100 + 20 * storey + column;
      if (storey == 0 && column == doorColumn) {
        facade.door(x);
        continue;
      }
      const bool balcony = b.balconies && storey > 0 && column % 2 == 1;
      facade.window(x, floor + (b.storey - facade.windowHeight) * 0.55, b.chance.stream(number));
      if (balcony) facade.balcony(x, floor + 0.1);
    }
  }
}

}  // namespace mpm::scenes
