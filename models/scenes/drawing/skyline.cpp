// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/scenes/drawing/still_painter.h"

namespace mpm::scenes {
namespace {

// A ridge of hills, `height` pixels above `base` at its highest.
Outline hills(const View& view, const Chance& chance, double base, double height) {
  Outline outline{{view.size.width + 2.0, base}, {-2.0, base}};
  const double a = chance.between(0, 0.006, 0.014) / view.unit, b = a * chance.between(1, 2.1, 3.4);
  const double shift = chance.between(2, 0, 7), second = chance.between(3, 0, 7);
  for (double x = -2; x <= view.size.width + 2; x += 4 * view.unit) {
    const double wave = 0.62 + 0.26 * std::sin(a * x + shift) + 0.12 * std::sin(b * x + second);
    outline.emplace_back(x, base - height * wave);
  }
  return outline;
}

void drawTower(StillPainter& painter, Draw& draw, double left, double right, double top,
               double base, const Colour& colour, int lights) {
  Brush& brush = painter.brush();
  const double unit = painter.view().unit, middle = (left + right) / 2;
  const int form = draw.below(5);
  brush.fill(box(left, top, right, base), colour);
  if (form == 0)
    brush.fill({{left, top}, {middle, top - 0.6 * (right - left)}, {right, top}}, colour);
  if (form == 1) brush.fill(box(left + 3 * unit, top - 5 * unit, right - 5 * unit, top), colour);
  if (form == 2) brush.fill(box(middle - unit, top - 16 * unit, middle + unit, top), colour);
  for (double y = top + 4 * unit; y < base - 8 * unit; y += 7 * unit) {
    for (double x = left + 3 * unit; x + 4 * unit < right; x += 6 * unit) {
      if (!draw.happens(0.3)) continue;
      painter.use({{Facing::front, 260}, lights + draw.below(6)});
      brush.fill(box(x, y, x + 2.4 * unit, y + 3 * unit), colour * 0.9);
    }
  }
}

}  // namespace

void drawSkyline(StillPainter& painter) {
  const View& view = painter.view();
  const Chance chance = painter.layout().chance.stream(60);
  Draw draw(chance);
  Brush& brush = painter.brush();
  const double base = view.rowOfDepth(60);
  const bool hilly = draw.happens(0.55), town = !hilly || draw.happens(0.6);
  const Colour far = mixed(rgb(0x7E8FA6), rgb(0x8C97A0), draw.uniform());
  const Colour near = mixed(rgb(0x6E7C8C), rgb(0x6F8272), draw.uniform());
  int lights = 0;
  for (int i = 0; i < 6; ++i) {
    const int window = painter.addWindow(
        {chance.between(100 + i, 0.05, 0.95),
         mixed(rgb(0xFFC56E), rgb(0xFFE9C4), chance.uniform(110 + i)), chance.stream(120 + i)});
    if (i == 0) lights = window;
  }
  brush.begin(Class::skyline);
  if (hilly) {
    painter.use({{Facing::front, 420}});
    brush.fill(hills(view, chance.stream(1), base, draw.between(40, 90) * view.unit), far);
  }
  if (town) {
    const double tall = draw.between(50, 130) * view.unit;
    for (double x = -10 * view.unit; x < view.size.width;) {
      const double width = draw.between(16, 44) * view.unit;
      const double height = tall * draw.between(0.35, 1);
      painter.use({{Facing::front, 260}});
      drawTower(painter, draw, x, x + width, base - height, base, far * draw.between(0.86, 1),
                lights);
      x += width + (draw.happens(0.3) ? draw.between(0, 40) * view.unit : -1);
    }
  }
  painter.use({{Facing::front, 140}});  // trees and low houses at its foot
  brush.fill(hills(view, chance.stream(2), base, draw.between(16, 30) * view.unit), near * 0.85);
  for (double x = 0; x < view.size.width; x += draw.between(6, 22) * view.unit) {
    const double r = draw.between(6, 13) * view.unit;
    brush.fill(circle({x, base - draw.between(6, 16) * view.unit}, r),
               near * draw.between(0.75, 0.9));
  }
  brush.end();
}

}  // namespace mpm::scenes
