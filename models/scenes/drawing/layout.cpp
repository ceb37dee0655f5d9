// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/layout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mpm::scenes {
namespace {

// Common style of a street's houses.
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
  // Some sky stays visible above.
  const auto top = [&] { return layout.view.at(left, b.height() + b.roofHeight, b.front).y; };
  while (b.storeys > 1 && top() < 0.04 * layout.view.size.height) --b.storeys;
  return b;
}

// Fills the far side of the street: rows of houses, gaps, a piece of park. Far ones come first.
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

enum Stream { kView = 1, kBands, kPalette, kGreen, kLamps, kBuildings };

View viewOf(Draw draw, cv::Size size) {
  View view;
  view.size = size;
  view.unit = size.height / 512.0;
  view.focal = draw.between(505, 545) * view.unit;
  view.centreX = size.width / 2.0;
  view.horizon = draw.between(0.33, 0.45) * size.height;
  const double nearest = draw.between(7.0, 7.5);  // metres, at the lower edge
  view.eyeHeight = (size.height - view.horizon) * nearest / view.focal;
  // A wide image may turn less: its edge would look down the street.
  const double wide = std::max(1.0, static_cast<double>(size.width) / size.height);
  const double yaw = draw.between(0.05, 0.19) / wide * (draw.happens(0.5) ? 1 : -1);
  view.cosYaw = std::cos(yaw), view.sinYaw = std::sin(yaw);
  return view;
}

void chooseBands(Layout& layout, Draw draw) {
  layout.rightHand = draw.happens(0.65);
  const int near = draw.below(3);
  if (near == 1) layout.nearVerge = draw.between(7.5, 8.1);
  layout.nearKerb = draw.between(9.2, 9.6);
  layout.cycleEnd = layout.nearKerb + draw.between(1.3, 1.6);
  layout.lanesMiddle = layout.cycleEnd + draw.between(2.8, 3.1);
  layout.lanesEnd = layout.lanesMiddle + draw.between(2.7, 2.9);
  layout.parking = draw.happens(0.75);
  layout.farKerb = layout.lanesEnd + (layout.parking ? 2.0 : 0.3);
  layout.verge = draw.happens(0.4) ? layout.farKerb + draw.between(0.9, 1.6) : 0;
  const double pavement = std::max(layout.farKerb, layout.verge);
  layout.pavementEnd = pavement + draw.between(1.8, 2.4);
  layout.front = layout.pavementEnd + (draw.happens(0.4) ? 0.3 : draw.between(1.8, 4.5));
  layout.cyclePath = draw.happens(0.5);
  layout.centreLine = draw.happens(0.85);
  layout.crossing = draw.happens(0.3);
  layout.crossingX = draw.between(-5, 5);
  layout.traffic = draw.between(0.75, 1.35);
  layout.crowd = draw.between(0.75, 1.35);
}

void choosePalette(Layout& layout, Draw draw) {
  constexpr std::array<unsigned, 4> kAsphalt = {0x5A5B5E, 0x66676A, 0x4D4F54, 0x6D6A66};
  constexpr std::array<unsigned, 5> kPaving = {0xB9B4AA, 0xA9AAAC, 0xC4B8A4, 0xB4A79B, 0x9C9FA4};
  constexpr std::array<unsigned, 4> kGrass = {0x7FA84A, 0x6C9A3E, 0x8FA852, 0x5F9148};
  constexpr std::array<unsigned, 4> kHedge = {0x3F6B34, 0x4C7A36, 0x35603A, 0x5A7A3A};
  constexpr std::array<unsigned, 4> kLampPaint = {0x3A4148, 0x2E4038, 0x6B7075, 0x8A8F93};
  layout.asphalt = rgb(kAsphalt[draw.below(4)]);
  layout.paving = rgb(kPaving[draw.below(5)]);
  layout.grass = rgb(kGrass[draw.below(4)]);
  layout.hedge = rgb(kHedge[draw.below(4)]);
  layout.lampPaint = rgb(kLampPaint[draw.below(4)]);
  layout.lampKind = draw.below(3);
}

Colour leavesOf(Draw& draw, double autumn) {
  constexpr std::array<unsigned, 5> kGreen = {0x4F8A3C, 0x5F9A45, 0x437A3F, 0x6F9C4A, 0x3C7048};
  constexpr std::array<unsigned, 3> kAutumn = {0xC8862E, 0xB4652F, 0xC9A53A};
  const Colour green = rgb(kGreen[draw.below(5)]), brown = rgb(kAutumn[draw.below(3)]);
  return mixed(green, brown, draw.happens(autumn) ? draw.between(0.5, 1) : 0.0);
}

void plantTrees(Layout& layout, Draw draw) {
  const double autumn = draw.happens(0.2) ? 0.7 : 0.03;
  const int main = draw.below(5);
  const bool byKerb = layout.verge > 0;
  const double z = byKerb ? (layout.farKerb + layout.verge) / 2 : layout.pavementEnd + 0.3;
  const double spacing = draw.between(5.5, 11);
  const Colour leaves = leavesOf(draw, autumn);
  for (double x = layout.view.leftEnd(z) - draw.uniform() * spacing;
       x < layout.view.rightEnd(z) + 3; x += spacing * draw.between(0.75, 1.3)) {
    const int kind = draw.happens(0.8) ? main : draw.below(5);
    Tree tree{x, z, 0, 0, TreeKind::round, leaves, layout.chance.stream(900 + layout.trees.size())};
    if (kind == 3) {
      tree.kind = TreeKind::poplar;
      tree.height = draw.between(7, 9.5), tree.crown = draw.between(0.9, 1.2);
    } else if (kind == 4) {
      tree.kind = TreeKind::conifer;
      tree.height = draw.between(5, 8), tree.crown = draw.between(1.3, 1.8);
      tree.leaves = mixed(rgb(0x2F5D45), rgb(0x47713F), draw.uniform());
    } else {
      tree.height = draw.between(4.8, 7.2), tree.crown = tree.height * draw.between(0.25, 0.33);
    }
    if (draw.happens(0.5)) tree.leaves = mixed(tree.leaves, leavesOf(draw, autumn), 0.5);
    const bool skipped = draw.happens(0.22);
    if (!skipped) layout.trees.push_back(tree);
  }
}

void plantHedges(Layout& layout, Draw draw) {
  if (layout.front < layout.pavementEnd + 1.2 || draw.happens(0.2)) return;
  layout.hedgeHeight = draw.between(0.9, 1.5);
  const double z = layout.pavementEnd + 0.5;
  double x = layout.view.leftEnd(z) - draw.between(0, 5);
  while (x < layout.view.rightEnd(z)) {
    const double length = draw.between(3.5, 9);
    layout.hedges.push_back({x, x + length});
    x += length + draw.between(1.2, 2.6);
  }
}

void placeLamps(Layout& layout, Draw draw) {
  const double z = layout.farKerb + 0.35, spacing = draw.between(7.5, 11);
  const double height = draw.between(5.3, 6.4);
  for (double x = layout.view.leftEnd(z) + draw.between(0.5, spacing - 0.5);
       x < layout.view.rightEnd(z) - 0.3; x += spacing) {
    layout.lamps.push_back({x, z, height, -1, 0.34});
  }
  if (draw.happens(0.3)) {  // one on this side, towards an edge of the picture
    const double nearZ = layout.nearKerb - 0.3, share = draw.between(0.08, 0.2);
    const double column = (draw.happens(0.5) ? share : 1 - share) * layout.view.size.width;
    layout.lamps.push_back({layout.view.xAt(column, nearZ), nearZ, 4.9, 1, 0.21});
  }
}

void clearTrunks(Layout& layout) {  // no tree in a lamp's way
  std::erase_if(layout.trees, [&](const Tree& tree) {
    return std::any_of(layout.lamps.begin(), layout.lamps.end(), [&](const Lamp& lamp) {
      return lamp.z < tree.z && std::abs(lamp.x - tree.x) < 0.9;
    });
  });
}

}  // namespace

Layout layoutOf(std::uint64_t seed, cv::Size size) {
  Layout layout;
  layout.chance = Chance(seed, 4000);
  const auto draw = [&](Stream stream) { return Draw(layout.chance.stream(stream)); };
  layout.view = viewOf(draw(kView), size);
  chooseBands(layout, draw(kBands));
  choosePalette(layout, draw(kPalette));
  plantTrees(layout, draw(kGreen));
  plantHedges(layout, Draw(layout.chance.stream(kGreen + 100)));
  placeLamps(layout, draw(kLamps));
  clearTrunks(layout);
  planBuildings(layout, draw(kBuildings));
  return layout;
}

}  // namespace mpm::scenes
