// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/layout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/scenes/drawing/building_plan.h"

namespace mpm::scenes {
namespace {

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
  // The wider the picture, the less it may turn: its edge would see down the street.
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
