// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/building_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mpm::scenes {
namespace {

// What a street's houses have in common.
struct Manner {
  bool terraced, modern;
  int storeys;
  Roof roof;
  double gaps;
};

Manner mannerOf(Draw& draw) {
  constexpr std::array<Roof, 6> kRoofs = {Roof::ridge,   Roof::gable, Roof::flat,
                                          Roof::mansard, Roof::hip,   Roof::stepped};
  Manner manner{};
  manner.terraced = draw.happens(0.55);
  manner.modern = draw.happens(0.3);
  manner.storeys = 1 + draw.below(3);
  manner.roof = kRoofs[draw.below(6)];
  manner.gaps = draw.between(0.05, 0.2);
  return manner;
}

Colour wallColour(Draw& draw, bool modern) {
  constexpr std::array<unsigned, 14> kOld = {0xC98F6B, 0xB5654A, 0xD9C3A0, 0xE4D8C0, 0xA8553F,
                                             0xCBB08A, 0xD8A98C, 0x9FB3B8, 0xE3C9A8, 0xB9C3A6,
                                             0xD6B25E, 0xA65B52, 0xC7CFD2, 0xB58A7A};
  constexpr std::array<unsigned, 6> kNew = {0xD8DADB, 0xB9BEC2, 0x8D9499,
                                            0xE6E1D8, 0xA79A8C, 0x6F7A82};
  const Colour wall = rgb(modern ? kNew[draw.below(6)] : kOld[draw.below(14)]);
  return mixed(wall, Colour(draw.uniform(), draw.uniform(), draw.uniform()), 0.08);
}

Building buildingOf(const Layout& layout, Draw& draw, const Manner& manner, double left,
                    double width) {
  constexpr std::array<unsigned, 6> kTiles = {0x8A4B3A, 0x6E4A42, 0x5A5F66,
                                              0x4B525A, 0x9A5A3E, 0x70655C};
  constexpr std::array<unsigned, 5> kTrim = {0xF1EDE4, 0xE3DCCB, 0xFFFFFF, 0x5A5148, 0xCFC8B8};
  constexpr std::array<unsigned, 6> kDoor = {0x6B3A2A, 0x2F5A4A, 0x2C3F66,
                                             0x8A2F2F, 0x3B3B3B, 0xC9A04A};
  const bool own = draw.happens(0.35);  // differs from its neighbours
  const bool modern = own ? draw.happens(0.3) : manner.modern;
  const double setback = manner.terraced && !own ? 0 : draw.between(0, 0.8);
  Building b{left,
             left + width,
             layout.front + setback,
             draw.between(7, 10),
             std::clamp(manner.storeys + draw.below(3) - (draw.happens(0.3) ? 1 : 0), 1, 4),
             1,
             draw.between(2.75, 3.2),
             own ? static_cast<Roof>(draw.below(6)) : manner.roof,
             0,
             wallColour(draw, modern),
             rgb(kTiles[draw.below(6)]),
             rgb(kTrim[draw.below(5)]),
             rgb(kDoor[draw.below(6)]),
             draw.happens(0.28),
             !modern && draw.happens(0.3),
             !modern && draw.happens(0.5),
             draw.happens(0.2),
             layout.chance.stream(2000 + layout.buildings.size())};
  if (modern) b.roof = Roof::flat;
  if (width > 8.5 && (b.roof == Roof::gable || b.roof == Roof::stepped)) b.roof = Roof::ridge;
  b.columns = std::max(2, static_cast<int>(std::lround(width / draw.between(1.9, 2.5))));
  b.roofHeight = b.roof == Roof::flat                           ? 0.35
                 : b.roof == Roof::mansard                      ? draw.between(2, 2.6)
                 : b.roof == Roof::ridge || b.roof == Roof::hip ? draw.between(2.4, 3.6)
                                                                : width * draw.between(0.38, 0.55);
  // Some sky is left above.
  const auto top = [&] { return layout.view.at(left, b.height() + b.roofHeight, b.front).y; };
  while (b.storeys > 1 && top() < 0.04 * layout.view.size.height) --b.storeys;
  return b;
}

}  // namespace

void planBuildings(Layout& layout, Draw draw) {
  const Manner manner = mannerOf(draw);
  const double start = layout.view.leftEnd(layout.front + 1) - 1.5;
  const double end = layout.view.rightEnd(layout.front + 1) + 1;
  double x = start - draw.between(0, 6);
  bool gapBefore = false;
  while (x < end) {
    if (!gapBefore && draw.happens(manner.gaps)) {
      x += draw.between(3, 7);
      gapBefore = true;
      continue;
    }
    const double width = draw.between(manner.terraced ? 4.6 : 6.2, manner.terraced ? 8 : 11.5);
    layout.buildings.push_back(buildingOf(layout, draw, manner, x, width));
    x += width + (manner.terraced ? 0 : draw.between(0.9, 2.4));
    gapBefore = false;
  }
  std::sort(layout.buildings.begin(), layout.buildings.end(),
            [](const Building& a, const Building& b) {
              return std::abs(a.left + a.right) > std::abs(b.left + b.right);
            });
}

}  // namespace mpm::scenes
