// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/still.h"

#include <array>

#include "models/scenes/drawing/lighting.h"
#include "models/scenes/drawing/still_painter.h"

namespace mpm::scenes {
namespace {

// What a surface is made of shows in small differences from pixel to pixel.
void addGrain(const Layout& layout, Still& still) {
  constexpr std::array<int, kClasses> kGrain = {0, 1, 2, 4, 3, 6, 5, 0, 0, 0, 0, 0};
  const Chance chance = layout.chance.stream(80);
  std::uint64_t bits = 0;
  for (int y = 0; y < still.albedo.rows; ++y) {
    cv::Vec4b* albedo = still.albedo.ptr<cv::Vec4b>(y);
    const std::uint8_t* label = still.labels.ptr(y);
    for (int x = 0; x < still.albedo.cols; ++x) {
      if (x % 8 == 0) bits = chance.bits(static_cast<std::uint64_t>(y) * 65536 + x);
      const int strength = kGrain[label[x]];
      const int noise = static_cast<int>(bits >> (x % 8 * 8) & 255) - 128;
      if (strength == 0) continue;
      const int gain = 256 + noise * strength / 32;
      for (int c = 0; c < 3; ++c) {
        albedo[x][c] =
            static_cast<std::uint8_t>(std::min(albedo[x][c] * gain >> 8, int{albedo[x][3]}));
      }
    }
  }
}

int skyEndOf(const cv::Mat& albedo) {
  for (int y = albedo.rows; y > 0; --y) {
    const cv::Vec4b* row = albedo.ptr<cv::Vec4b>(y - 1);
    if (std::any_of(row, row + albedo.cols, [](const cv::Vec4b& p) { return p[3] < 255; }))
      return y;
  }
  return 0;
}

}  // namespace

Still drawStill(const Layout& layout) {
  Still still;
  StillPainter painter(layout, still);
  painter.use({});
  drawSkyline(painter);
  drawGround(painter);
  for (const Building& building : layout.buildings) drawBuilding(painter, building);
  drawHedges(painter);
  painter.finish();
  addGrain(layout, still);
  still.lampLight = lampLightOf(layout);
  still.groundTop = static_cast<int>(layout.view.rowOfDepth(60));
  still.skyEnd = skyEndOf(still.albedo);
  return still;
}

}  // namespace mpm::scenes
