// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "models/scenes/drawing/still_painter.h"

namespace mpm::scenes {
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
    // The sky in it, and what hangs behind.
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
