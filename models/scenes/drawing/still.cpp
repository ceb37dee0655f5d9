// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/still.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <opencv2/core/hal/intrin.hpp>

#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {
namespace {

// Materials show in small differences from pixel to pixel.
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

namespace {

constexpr int kRowsOfADepth = 4;
constexpr std::ptrdiff_t kRemembered = 12;  // materials that are looked through for the same one
constexpr std::size_t kMostMaterials = 60000;

}  // namespace

StillPainter::StillPainter(const Layout& layout, Still& still) : layout_(layout), still_(still) {
  const cv::Size size = layout.view.size;
  still.albedo = cv::Mat::zeros(size, CV_8UC4);
  still.materials = cv::Mat::zeros(size, CV_16U);
  still.labels = cv::Mat::zeros(size, CV_8U);
  brush_.aim(still.albedo, still.labels, still.materials);
}

void StillPainter::use(const Material& material) {
  auto& table = still_.table;
  const auto end = table.rend() - std::max<std::ptrdiff_t>(0, std::ssize(table) - kRemembered);
  const auto same = std::find(table.rbegin(), end, material);
  if (same == end) {
    CV_Assert(table.size() < kMostMaterials);
    table.push_back(material);
    brush_.setMaterial(static_cast<int>(table.size()) - 1);
  } else {
    brush_.setMaterial(static_cast<int>(std::distance(same, table.rend())) - 1);
  }
}

int StillPainter::addWindow(const Window& window) {
  still_.windows.push_back(window);
  return static_cast<int>(still_.windows.size()) - 1;
}

void StillPainter::wall(double left, double bottom, double right, double top, double z,
                        const Colour& colour, double opacity) {
  const View& v = view();
  brush_.fill(
      {v.at(left, top, z), v.at(right, top, z), v.at(right, bottom, z), v.at(left, bottom, z)},
      colour, opacity);
}

void StillPainter::face(const std::vector<cv::Point3d>& corners, const Colour& colour,
                        double opacity) {
  Outline outline;
  outline.reserve(corners.size());
  for (const cv::Point3d& p : corners) outline.push_back(view().at(p.x, p.y, p.z));
  brush_.fill(outline, colour, opacity);
}

void StillPainter::ground(double left, double right, double nearZ, double farZ,
                          const Colour& colour, double opacity) {
  const View& v = view();
  brush_.fill(
      {v.at(left, 0, farZ), v.at(right, 0, farZ), v.at(right, 0, nearZ), v.at(left, 0, nearZ)},
      colour, opacity);
}

void StillPainter::groundAcross(double nearZ, double farZ, const Colour& colour, double opacity) {
  const View& v = view();
  brush_.fill({v.at(v.leftEnd(farZ), 0, farZ), v.at(v.rightEnd(farZ), 0, farZ),
               v.at(v.rightEnd(nearZ), 0, nearZ), v.at(v.leftEnd(nearZ), 0, nearZ)},
              colour, opacity);
}

void StillPainter::finish() {
  const int height = still_.materials.rows;
  const std::size_t kinds = still_.table.size();
  std::vector<int> row(kinds);
  for (int top = 0; top < height; top += kRowsOfADepth) {
    const int end = std::min(top + kRowsOfADepth, height);
    std::fill(row.begin(), row.end(), -1);
    for (int y = top; y < end; ++y) {
      std::uint16_t* material = still_.materials.ptr<std::uint16_t>(y);
      for (int x = 0; x < still_.materials.cols; ++x) {
        const std::size_t kind = material[x];
        if (!still_.table[kind].ground) continue;
        if (row[kind] < 0) {
          Material here = still_.table[kind];
          const double below = std::max(top + kRowsOfADepth / 2 - view().horizon, 1.0);
          here.surface.depth = view().focal * view().eyeHeight / below;
          row[kind] = static_cast<int>(still_.table.size());
          still_.table.push_back(here);
        }
        material[x] = static_cast<std::uint16_t>(row[kind]);
      }
    }
  }
}

namespace {

constexpr double kBrightest = 16;  // of a light; three of them stay below 2^16 / 1024

std::uint16_t fixedPoint(double value, double one) {
  return static_cast<std::uint16_t>(std::clamp(value * one + 0.5, 0.0, 65535.0));
}

void emit(Tint& tint, const Window& window, const Lighting& lighting, double time) {
  const double lit = window.lit(lighting.light().windows, time);
  if (lit <= 0) return;
  const double clear = 1 - lighting.haze(24);
  const double strength = lit * (0.2 + 0.8 * lighting.night()) * clear;
  tint.shade += window.glow * (0.7 * strength);
  tint.add += window.glow * (0.42 * strength);
}

}  // namespace

double Window::lit(double share, double time) const {
  const double slot = std::floor(time / (3600 * chance.between(0, 0.5, 1.4)) + chance.uniform(1));
  const double now = chance.stream(3).uniform(static_cast<std::uint64_t>(slot));
  const double turn = 0.7 * threshold + 0.3 * now;
  return std::clamp((share - turn) / 0.015, 0.0, 1.0);
}

void Relight::prepare(const Still& still, const Lighting& lighting, double time) {
  gains_.resize(still.table.size());
  for (std::size_t i = 0; i < gains_.size(); ++i) {
    const Material& material = still.table[i];
    Tint tint = lighting.tint(material.surface);
    if (material.gloss > 0) tint.add += lighting.light().horizon * material.gloss;
    if (material.window >= 0) {
      emit(tint, still.windows[static_cast<std::size_t>(material.window)], lighting, time);
    }
    if (!material.ground) {  // shadows fall on the ground alone
      tint.shade += tint.sun;
      tint.sun = {};
    }
    Gains& gains = gains_[i];
    for (int c = 0; c < 3; ++c) {
      gains.keep[c] = fixedPoint(tint.keep, 65535);
      gains.white[c] = fixedPoint(tint.white[c], 255 * 256);
      gains.shade[c] = fixedPoint(std::min(tint.shade[c], kBrightest), 1024);
      gains.sun[c] = fixedPoint(std::min(tint.sun[c], kBrightest), 1024);
      gains.lamp[c] = fixedPoint(std::min(tint.lamp[c], kBrightest), 1024);
      gains.add[c] = fixedPoint(tint.add[c], 255 * 4);
    }
    gains.keep[3] = 65535, gains.shade[3] = 1024;
    gains.white[3] = gains.sun[3] = gains.lamp[3] = 0;
    gains.add[3] = 4;
  }
}

void Relight::lightPixel(const Still& still, int x, int y, int sunny, int lamp,
                         cv::Vec4b& out) const {
  const cv::Vec4b& albedo = still.albedo.at<cv::Vec4b>(y, x);
  const Gains& g = gains_[still.materials.at<std::uint16_t>(y, x)];
  const int cover = albedo[3];
  for (int c = 0; c < 3; ++c) {
    const int light = g.shade[c] + (g.sun[c] * sunny >> 8) + (g.lamp[c] * lamp >> 8);
    const int white = (albedo[c] * g.keep[c] >> 8) + (g.white[c] * cover >> 8);
    const int below = out[c] * (255 - cover) / 255;
    const int sum = (white * light >> 18) + (g.add[c] * cover >> 10) + below;
    out[c] = static_cast<std::uint8_t>(std::min(sum, 255));
  }
}

// Lights two pixels at a time, which share their sun and lamp light. The loop's functions exist in
// both OpenCV 4.6 and 4.10.
template <bool kGround, bool kLamps>
void Relight::lightRow(const Still& still, const std::uint8_t* shadow, int y,
                       cv::Mat& canvas) const {
  const cv::Vec4b* albedo = still.albedo.ptr<cv::Vec4b>(y);
  const std::uint16_t* material = still.materials.ptr<std::uint16_t>(y);
  const std::uint8_t* lampLight = still.lampLight.ptr(y);
  cv::Vec4b* out = canvas.ptr<cv::Vec4b>(y);
  const int pairs = canvas.cols & ~1;
  for (int x = 0; x < pairs; x += 2) {
    const int cover = albedo[x][3] & albedo[x + 1][3];
    const int sunny = kGround ? 255 - shadow[x / 2] : 255, lamp = kLamps ? lampLight[x] : 0;
    if (cover < 255) {
      if (albedo[x][3] > 0) lightPixel(still, x, y, sunny, lamp, out[x]);
      if (albedo[x + 1][3] > 0) lightPixel(still, x + 1, y, sunny, lamp, out[x + 1]);
      continue;
    }
    const Gains &a = gains_[material[x]], &b = gains_[material[x + 1]];
    cv::v_uint16x8 light = cv::v_load_halves(a.shade, b.shade);
    const cv::v_uint16x8 sun = cv::v_load_halves(a.sun, b.sun);
    const auto share = [](int value) {
      return cv::v_setall_u16(static_cast<std::uint16_t>(value * 257));
    };
    light = cv::v_add_wrap(light, kGround ? cv::v_mul_hi(sun, share(sunny)) : sun);
    if (kLamps) {
      const cv::v_uint16x8 full = cv::v_load_halves(a.lamp, b.lamp);
      light = cv::v_add_wrap(light, cv::v_mul_hi(full, share(lamp)));
    }
    const cv::v_uint16x8 seen = cv::v_shl<8>(cv::v_load_expand(albedo[x].val));
    const cv::v_uint16x8 white = cv::v_add_wrap(
        cv::v_mul_hi(seen, cv::v_load_halves(a.keep, b.keep)), cv::v_load_halves(a.white, b.white));
    const cv::v_uint16x8 sum =
        cv::v_add_wrap(cv::v_mul_hi(white, light), cv::v_load_halves(a.add, b.add));
    cv::v_rshr_pack_store<2>(out[x].val, sum);
  }
  if (pairs < canvas.cols && albedo[pairs][3] > 0) {
    const int sunny = kGround ? 255 - shadow[pairs / 2] : 255;
    lightPixel(still, pairs, y, sunny, kLamps ? lampLight[pairs] : 0, out[pairs]);
  }
}

void Relight::run(const Still& still, const Lighting& lighting, double time, const cv::Mat& shadow,
                  cv::Mat& canvas) {
  prepare(still, lighting, time);
  const bool lamps = lighting.glow() > 0.004;
  for (int y = 0; y < canvas.rows; ++y) {
    const bool ground = !shadow.empty() && y >= still.groundTop;
    const std::uint8_t* dark = ground ? shadow.ptr(y / 2) : nullptr;
    if (ground && lamps) lightRow<true, true>(still, dark, y, canvas);
    if (ground && !lamps) lightRow<true, false>(still, dark, y, canvas);
    if (!ground && lamps) lightRow<false, true>(still, dark, y, canvas);
    if (!ground && !lamps) lightRow<false, false>(still, dark, y, canvas);
  }
}

namespace {

// Bands are drawn from far to near, each reaching below the next: otherwise the sky would shine
// through between two edges.
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

// Draws slabs: joints across and along.
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
  // Wheels have polished the lanes, and the surface has some repairs.
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

namespace {

// Returns a ridge of hills, `height` pixels above `base` at its highest.
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
