// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/scenery.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "models/scenes/chance.h"
#include "models/scenes/classes.h"
#include "models/scenes/drawing/stage.h"
#include "models/scenes/drawing/traffic.h"

namespace mpm::scenes {
namespace {

constexpr int kColumns = 256, kRows = 128;

void addOctave(cv::Mat& noise, const Chance& chance, int cellWidth, int cellHeight, float weight) {
  const int across = kColumns / cellWidth;
  for (int y = 0; y < kRows; ++y) {
    const int row = y / cellHeight;
    const double t = smoothStep(0, cellHeight, y % cellHeight);
    float* out = noise.ptr<float>(y);
    const auto corner = [&](int column, int line) {
      return chance.uniform(static_cast<std::uint64_t>(line * across + column % across));
    };
    for (int column = 0; column < across; ++column) {
      const double left = mixed(corner(column, row), corner(column, row + 1), t);
      const double right = mixed(corner(column + 1, row), corner(column + 1, row + 1), t);
      for (int x = 0; x < cellWidth; ++x) {
        const double value = mixed(left, right, smoothStep(0, cellWidth, x));
        out[column * cellWidth + x] += weight * static_cast<float>(value);
      }
    }
  }
}

// Returns CV_32F, 256 x 128, from 0 to 1 with 0.5 in the middle: cloud noise of several scales. It
// wraps around horizontally.
cv::Mat cloudNoise(const Chance& chance) {
  cv::Mat noise = cv::Mat::zeros(kRows, kColumns, CV_32F);
  addOctave(noise, chance.stream(0), 32, 16, 0.46F);
  addOctave(noise, chance.stream(1), 16, 8, 0.28F);
  addOctave(noise, chance.stream(2), 8, 4, 0.16F);
  addOctave(noise, chance.stream(3), 4, 2, 0.10F);
  return noise;
}

constexpr int kGrid = 4, kDither = 64;

// Returns 1 in the middle, 0 from `radius` on.
double halo(cv::Point2d way, double radius) {
  const double t = 1 - way.dot(way) / (radius * radius);
  return t > 0 ? t * t * t : 0;
}

}  // namespace

Sky::Sky(const Layout& layout) : view_(layout.view), noise_(cloudNoise(layout.chance.stream(90))) {
  Draw draw(layout.chance.stream(91));
  drift_ = draw.between(0.10, 0.22);
  for (int i = 0; i < 150; ++i) {
    const double weak = draw.uniform();
    stars_.push_back({{draw.uniform() * view_.size.width, draw.uniform() * view_.horizon},
                      0.25 + 0.75 * weak * weak * weak,
                      draw.between(0, 6.28)});
  }
  const Chance chance = layout.chance.stream(92);
  dither_.create(kDither, kDither, CV_16S);
  for (int i = 0; i < kDither * kDither; ++i) {
    dither_.at<short>(i / kDither, i % kDither) = static_cast<short>(chance.below(i, 64));
  }
}

Sky::Disc Sky::discAt(double height, double side, double radius) const {
  return {{view_.centreX + 0.44 * side * view_.size.width, view_.horizon * (0.92 - 1.25 * height)},
          radius * view_.unit,
          height};
}

double Sky::cloudAt(double x, double y) const {
  const int columns = noise_.cols, rows = noise_.rows;
  const double left = std::floor(x), top = std::floor(y);
  const int x0 = static_cast<int>(left - columns * std::floor(left / columns));
  const int y0 = std::clamp(static_cast<int>(top), 0, rows - 2);
  const int x1 = x0 + 1 == columns ? 0 : x0 + 1;
  const float *a = noise_.ptr<float>(y0), *b = noise_.ptr<float>(y0 + 1);
  const double s = x - left, t = std::clamp(y - y0, 0.0, 1.0);
  return (a[x0] * (1 - s) + a[x1] * s) * (1 - t) + (b[x0] * (1 - s) + b[x1] * s) * t;
}

void Sky::workOut(const Lighting& lighting, double time, int rows) {
  const Light& light = lighting.light();
  const double clouds = std::clamp(lighting.weather().clouds, 0.0, 1.0),
               fog = lighting.weather().fog;
  const double from = mixed(0.82, 0.12, std::pow(clouds, 0.8));
  const Colour bright = light.ambient * 0.7 + light.direct * 0.85 + light.horizon * 0.17;
  const Colour dark = light.ambient * 0.6 + light.horizon * 0.1 + light.direct * 0.1;
  const Disc sun = discAt(light.sunHeight, light.sunSide, 1),
             moon = discAt(light.moonHeight, light.moonSide, 1);
  const double sunGlow = light.sunHeight > -0.15 ? brightness(light.direct) + 0.1 : 0;
  const Colour sunColour =
      light.direct + Colour(0.02, 0.06, 0.1) * smoothStep(-0.15, 0.05, light.sunHeight);
  const double moonGlow = light.moonHeight > 0 ? 0.25 * lighting.night() *
                                                     smoothStep(0.02, -0.1, -0.0 + light.sunHeight)
                                               : 0;
  const double gloom = 0.2 + 0.6 * clouds;
  coarse_.create(rows / kGrid + 2, view_.size.width / kGrid + 2, CV_16UC3);
  covered_.create(coarse_.size(), CV_32F);
  for (int y = 0; y < coarse_.rows; ++y) {
    const double row = (y + 0.5) * kGrid, share = std::clamp(row / view_.horizon, 0.0, 1.0);
    const Colour base = mixed(light.zenith, light.horizon, std::pow(share, 1.25));
    // Farther clouds, lower down, are smaller and closer.
    const double far = 1 / (1.25 - 0.85 * share), v = 14 + 34 * far;
    const double edge = mixed(0.3, 0.2, share);
    for (int x = 0; x < coarse_.cols; ++x) {
      const cv::Point2d at((x + 0.5) * kGrid, row);
      Colour colour = base;
      colour += sunColour * (sunGlow * (0.55 * halo(at - sun.at, 190 * view_.unit) +
                                        0.2 * halo(at - sun.at, 420 * view_.unit)));
      colour += Colour(0.9, 0.85, 0.75) * (moonGlow * halo(at - moon.at, 110 * view_.unit));
      const double u = (at.x - view_.centreX) / view_.unit * 0.16 * far + 128 - drift_ * time;
      const double n = cloudAt(u, v);
      const double cover = smoothStep(from, from + edge, n) * (1 - 0.8 * fog);
      const double thick = smoothStep(from + 0.05, from + 0.5, n);
      colour = mixed(colour, mixed(bright, dark, gloom * thick), 0.92 * cover);
      colour = mixed(colour, light.horizon, 0.85 * fog);
      cv::Vec3w& out = coarse_.at<cv::Vec3w>(y, x);
      for (int c = 0; c < 3; ++c) {
        out[c] = static_cast<std::uint16_t>(std::clamp(colour[c], 0.0, 1.0) * 255 * 64);
      }
      covered_.at<float>(y, x) = static_cast<float>(std::max(cover, fog));
    }
  }
}

void Sky::enlarge(int rows, cv::Mat& canvas) const {
  for (int y = 0; y < rows; ++y) {
    const std::uint16_t* in = fine_.ptr<std::uint16_t>(y);
    const short* noise = dither_.ptr<short>(y % kDither);
    std::uint8_t* out = canvas.ptr(y);
    for (int x = 0; x < canvas.cols; ++x, in += 3, out += 4) {
      const int add = noise[x % kDither];
      for (int c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>((in[c] + add) >> 6);
      out[3] = 255;
    }
  }
}

double Sky::clear(cv::Point2d at) const {
  const int x = std::clamp(static_cast<int>(at.x / kGrid), 0, covered_.cols - 1);
  const int y = std::clamp(static_cast<int>(at.y / kGrid), 0, covered_.rows - 1);
  return 1 - covered_.at<float>(y, x);
}

void Sky::drawStars(const Lighting& lighting, double time, cv::Mat& canvas) const {
  const double stars = lighting.light().stars;
  if (stars <= 0.01) return;
  for (const Star& star : stars_) {
    const double twinkle = 0.8 + 0.2 * std::sin(5 * time + star.phase);
    const double strength = stars * star.brightness * twinkle * clear(star.at) * clear(star.at);
    const int size = std::max(1, cvRound((star.brightness > 0.7 ? 2 : 1) * view_.unit));
    const cv::Rect area(cv::Point(star.at), cv::Size(size, size));
    for (int y = area.y; y < std::min(area.y + area.height, canvas.rows); ++y) {
      for (int x = area.x; x < std::min(area.x + area.width, canvas.cols); ++x) {
        cv::Vec4b& pixel = canvas.at<cv::Vec4b>(y, x);
        for (int c = 0; c < 3; ++c)
          pixel[c] = cv::saturate_cast<std::uint8_t>(pixel[c] + 150 * strength);
      }
    }
  }
}

void Sky::drawDiscs(const Lighting& lighting, Brush& brush) const {
  const Light& light = lighting.light();
  if (light.sunHeight > -0.08) {
    const Disc sun = discAt(light.sunHeight, light.sunSide, 16);
    const double overcast = smoothStep(0.6, 0.9, lighting.weather().clouds);
    const double seen = clear(sun.at) * 0.95 * (1 - overcast);
    const Colour colour =
        mixed(Colour(0.45, 0.72, 1), Colour(0.9, 0.98, 1), smoothStep(0, 0.3, light.sunHeight));
    brush.fill(circle(sun.at, sun.radius), colour, seen);
  }
  if (light.moonHeight > -0.08) {
    const Disc moon = discAt(light.moonHeight, light.moonSide, 15);
    const double seen = clear(moon.at) * smoothStep(0.25, 0.75, 0.35 + 0.65 * lighting.night());
    const double r = moon.radius;
    brush.fill(circle(moon.at, r), rgb(0xF2EEDD), seen);
    brush.fill(circle(moon.at + cv::Point2d(-0.3, -0.25) * r, 0.26 * r), rgb(0xD2CCB8), 0.7 * seen);
    brush.fill(circle(moon.at + cv::Point2d(0.28, 0.1) * r, 0.2 * r), rgb(0xD2CCB8), 0.7 * seen);
    brush.fill(circle(moon.at + cv::Point2d(-0.12, 0.42) * r, 0.17 * r), rgb(0xD2CCB8), 0.7 * seen);
  }
}

void Sky::draw(const Lighting& lighting, double time, int rows, cv::Mat& canvas, Brush& brush) {
  workOut(lighting, time, rows);
  cv::resize(coarse_, fine_, coarse_.size() * kGrid, 0, 0, cv::INTER_LINEAR);
  enlarge(rows, canvas);
  drawStars(lighting, time, canvas);
  drawDiscs(lighting, brush);
}

namespace {

struct Crown {
  cv::Point2d centre;
  double radiusX, radiusY;
};

// Paints bunches of leaves: dark ones first, lighter and smaller ones towards the top and one side.
void paintLeaves(Brush& brush, Draw& draw, const Crown& crown, const Colour& leaves, int bunches) {
  for (int i = 0; i < 14; ++i) {
    const double angle = 2 * CV_PI * i / 14, r = draw.between(0.5, 0.68);
    brush.fill(ellipse({crown.centre.x + r * crown.radiusX * std::cos(angle),
                        crown.centre.y + r * crown.radiusY * std::sin(angle)},
                       crown.radiusX * draw.between(0.3, 0.42),
                       crown.radiusY * draw.between(0.28, 0.4), 14),
               leaves * draw.between(0.5, 0.58));
  }
  brush.fill(ellipse(crown.centre, 0.7 * crown.radiusX, 0.7 * crown.radiusY), leaves * 0.54);
  for (int i = 0; i < bunches; ++i) {
    const double light = static_cast<double>(i) / bunches;  // from below and behind to above
    const double angle = draw.between(0, 2 * CV_PI), r = 0.98 * std::sqrt(draw.uniform());
    const double reach = 1 - 0.25 * light;
    const cv::Point2d at(
        crown.centre.x + crown.radiusX * (reach * r * std::cos(angle) - 0.12 * light),
        crown.centre.y + crown.radiusY * (reach * r * std::sin(angle) - 0.22 * light + 0.05));
    const double height = (crown.centre.y - at.y) / crown.radiusY;
    const double size = crown.radiusX * draw.between(0.07, 0.15) * (1.15 - 0.45 * light);
    const double shade = 0.6 + 0.3 * light + 0.2 * height + draw.between(-0.09, 0.09);
    brush.fill(ellipse(at, size * draw.between(1, 1.4), size, 9), leaves * shade, 0.9);
  }
}

void paintConifer(Brush& brush, Draw& draw, const Tree& tree, cv::Point2d foot, double metre) {
  constexpr int kLayers = 9;
  for (int layer = 0; layer < kLayers; ++layer) {
    const double share = static_cast<double>(layer) / kLayers;
    const double low = foot.y - metre * mixed(0.7, tree.height * 0.9, share);
    const double high = low - metre * tree.height * 0.24;
    const double half = metre * tree.crown * (1 - share) * draw.between(0.92, 1.08) + 0.12 * metre;
    Outline outline{{foot.x, std::max(high, foot.y - metre * tree.height)}};
    constexpr int kTips = 9;
    for (int tip = 0; tip <= kTips; ++tip) {
      const double x = foot.x + half * (1 - 2.0 * tip / kTips);
      const double droop = 0.2 * metre * std::abs(1 - 2.0 * tip / kTips);
      outline.emplace_back(x, low + droop + 0.1 * metre * draw.uniform());
      if (tip < kTips)
        outline.emplace_back(x - half / kTips, low + droop - 0.2 * metre * draw.between(0.6, 1));
    }
    brush.fill(outline, tree.leaves * (0.66 + 0.34 * share + draw.between(-0.04, 0.04)));
    for (int needle = 0; needle < 12; ++needle) {
      const double t = draw.uniform(), x = foot.x + half * t * draw.between(-0.85, 0.7);
      const double y = mixed(high, low, t);
      brush.fill(stroke({x, y}, {x - 0.1 * metre, y + 0.22 * metre}, 0.1 * metre, 0.05 * metre),
                 tree.leaves * draw.between(0.85, 1.2), 0.6);
    }
  }
}

// Paints a tree's trunk and leaves, without light. `metre` is in pixels.
void paintTree(Brush& brush, const Tree& tree, cv::Point2d foot, double metre) {
  Draw draw(tree.chance);
  const Colour bark = mixed(rgb(0x6B5443), rgb(0x7A7068), draw.uniform());
  const double width = metre * (0.2 + 0.022 * tree.height);
  const double stem = tree.kind == TreeKind::round ? 0.62 : 0.5;
  const cv::Point2d top = foot - cv::Point2d(0, metre * tree.height * stem);
  brush.fill(stroke(foot - cv::Point2d(0, 0.4 * width), top, width * 1.2, width * 0.6),
             bark * 0.85);
  brush.fill(stroke(foot - cv::Point2d(0.25 * width, 0.6 * width),
                    top - cv::Point2d(0.1 * width, 0), width * 0.4, width * 0.2),
             bark * 1.15);
  if (tree.kind == TreeKind::conifer) {
    paintConifer(brush, draw, tree, foot, metre);
    return;
  }
  const bool poplar = tree.kind == TreeKind::poplar;
  const double bottom = poplar ? 0.9 : std::max(1.5, tree.height - 2.5 * tree.crown);
  const Crown crown{foot - cv::Point2d(0, metre * (bottom + tree.height) / 2), metre * tree.crown,
                    metre * (tree.height - bottom) / 2};
  if (!poplar) {
    for (const double side : {-1.0, 1.0}) {
      const cv::Point2d fork = foot - cv::Point2d(0, metre * bottom * draw.between(0.75, 0.95));
      brush.fill(stroke(fork, crown.centre + cv::Point2d(side * 0.5 * crown.radiusX, 0),
                        width * 0.6, width * 0.25),
                 bark * 0.8);
    }
  }
  paintLeaves(brush, draw, crown, tree.leaves, poplar ? 190 : 230);
}

}  // namespace

TreePicture::TreePicture(const Layout& layout, const Tree& tree) : tree_(tree) { paint(layout); }

void TreePicture::paint(const Layout& layout) {
  const View& view = layout.view;
  const double metre = view.metre(tree_.x, tree_.z);
  const cv::Point2d foot = view.at(tree_.x, 0, tree_.z);
  const int half = cvCeil(metre * (tree_.crown * 1.35 + 0.3)) + 2;
  const int above = cvCeil(metre * tree_.height * 1.05) + 3, below = cvCeil(metre * 0.15) + 2;
  corner_ = {cvFloor(foot.x) - half, cvFloor(foot.y) - above};
  picture_ = cv::Mat::zeros(above + below, 2 * half + 1, CV_8UC4);
  cv::Mat labels = cv::Mat::zeros(picture_.size(), CV_8U);
  Brush brush;
  brush.aim(picture_, labels);
  paintTree(brush, tree_, foot - cv::Point2d(corner_), metre);
  spans_.resize(static_cast<std::size_t>(picture_.rows));
  for (int y = 0; y < picture_.rows; ++y) {
    const cv::Vec4b* pixel = picture_.ptr<cv::Vec4b>(y);
    Span& span = spans_[static_cast<std::size_t>(y)];
    span.begin = picture_.cols;
    for (int x = 0; x < picture_.cols; ++x) {
      if (pixel[x][3] == 0) continue;
      span.begin = std::min(span.begin, x);
      span.end = x + 1;
    }
  }
}

// Returns the lean in pixels at a share of the tree's height, from gusts slower than leaves.
double TreePicture::leanAt(const Stage& stage, double share) const {
  const double wind = stage.lighting.weather().wind, t = stage.time;
  const double p = tree_.chance.between(500, 0, 6.28), q = tree_.chance.between(501, 0, 6.28);
  const double gust = 0.55 + 0.45 * std::sin(0.21 * t + 0.3 * tree_.x + q);
  const double swing =
      0.45 + 0.55 * std::sin(1.7 * t + p) + 0.25 * std::sin(3.1 * t + q + 5 * share);
  const double metres = wind * gust * swing * 0.055 * tree_.height;
  return metres * stage.layout.view.metre(tree_.x, tree_.z) * std::pow(share, 1.8);
}

void TreePicture::draw(const Stage& stage) const {
  const double depth = stage.layout.view.depth(tree_.x, tree_.z);
  const Tint tint = stage.lighting.tint({Facing::round, depth, 0.33, 0});
  const double lamp = lampLightAt(stage.layout, {tree_.x, 0.55 * tree_.height, tree_.z});
  Gains gains{};
  for (int c = 0; c < 3; ++c) {
    const double light = tint.shade[c] + tint.sun[c] + tint.lamp[c] * lamp;
    gains.gain[c] = cvRound(1024 * tint.keep * light);
    gains.add[c] = cvRound(1024 * (tint.white[c] * light + tint.add[c]));
  }
  gains.gain[3] = 1024;
  const double foot = stage.layout.view.at(tree_.x, 0, tree_.z).y - corner_.y;
  for (int row = 0; row < picture_.rows; ++row) {
    const double share = std::clamp((foot - row) / foot, 0.0, 1.0);
    drawRow(stage, row, leanAt(stage, share), gains);
  }
}

void TreePicture::drawRow(const Stage& stage, int row, double shift, const Gains& gains) const {
  const int y = corner_.y + row;
  const Span& span = spans_[static_cast<std::size_t>(row)];
  cv::Mat canvas = stage.canvas, labels = stage.labels;
  if (y < 0 || y >= canvas.rows || span.begin >= span.end) return;
  const int whole = cvFloor(shift), part = cvRound(256 * (shift - whole)), left = corner_.x + whole;
  const int begin = std::max(0, left + span.begin),
            end = std::min(canvas.cols, left + span.end + 1);
  cv::Vec4b* out = canvas.ptr<cv::Vec4b>(y);
  std::uint8_t* label = labels.ptr<std::uint8_t>(y);
  const cv::Vec4b* pixel = picture_.ptr<cv::Vec4b>(row);
  for (int x = begin; x < end; ++x) {
    const int from = x - left;  // between this pixel and the one before it
    const cv::Vec4b here = from < span.end ? pixel[from] : cv::Vec4b();
    const cv::Vec4b before = from > span.begin ? pixel[from - 1] : cv::Vec4b();
    int mixture[4];
    for (int c = 0; c < 4; ++c) mixture[c] = (here[c] * (256 - part) + before[c] * part + 128) >> 8;
    const int cover = mixture[3];
    if (cover == 0) continue;
    for (int c = 0; c < 3; ++c) {
      const int lit = (mixture[c] * gains.gain[c] + cover * gains.add[c]) >> 10;
      out[x][c] = static_cast<std::uint8_t>(std::min(255, lit + out[x][c] * (255 - cover) / 255));
    }
    if (cover >= 128) label[x] = static_cast<std::uint8_t>(Class::tree);
  }
}

namespace {

constexpr double kNever = 4;
constexpr double kDeepest = 0.08, kShallowest = 0.36;  // of the ground's height: full at the second
constexpr double kTremble = 5;                         // rows of a picture 512 high, in heavy rain
constexpr double kUnderWater = 0.6;                    // what is left of the ground's own colour

enum Stream { kBroad = 90, kFine, kRipples };

bool holdsWater(std::uint8_t label) {
  return label == static_cast<int>(Class::road) || label == static_cast<int>(Class::pavement);
}

// Interpolates smoothly between random values at the corners of a grid.
double wave2(const Chance& chance, double x, double z) {
  const double row = std::floor(z);
  const auto at = [&](double line) {
    return wave(chance.stream(static_cast<std::uint64_t>(static_cast<std::int64_t>(line))), x);
  };
  return mixed(at(row), at(row + 1), smoothStep(0, 1, z - row));
}

double bump(double distance, double width) { return std::exp(-std::pow(distance / width, 2)); }

// Returns the ground's height at (x, z), about 0 to 1; puddles stretch along the street, as its
// camber is across.
double heightAt(const Layout& layout, double x, double z) {
  double height = 0.7 * wave2(layout.chance.stream(kBroad), x / 2.4, z / 1.3) +
                  0.3 * wave2(layout.chance.stream(kFine), x / 0.8, z / 0.5);
  if (z < layout.nearKerb || z > layout.farKerb) return height + 0.1;
  height -= 0.2 * (bump(z - layout.nearKerb, 0.7) + bump(layout.farKerb - z, 0.9));
  for (const double track : {layout.cycleEnd + 0.75, layout.cycleEnd + 2.25,
                             layout.lanesMiddle + 0.65, layout.lanesMiddle + 2.1}) {
    height -= 0.07 * bump(z - track, 0.4);
  }
  return height;
}

// Kerbs, and what is no ground, stay dry.
bool canFlood(const Layout& layout, double z) {
  const bool road = z >= layout.nearKerb && z <= layout.farKerb;
  const bool near = z < layout.nearKerb - 0.2 && z > layout.nearVerge;
  const bool far = z > std::max(layout.farKerb + 0.5, layout.verge) && z < layout.pavementEnd;
  return road || near || far;
}

}  // namespace

Puddles::Puddles(const Layout& layout) : floods_(layout.view.size, CV_32F, cv::Scalar(kNever)) {
  const View& view = layout.view;
  for (int y = std::max(0, cvCeil(view.horizon + 1)); y < floods_.rows; ++y) {
    float* floods = floods_.ptr<float>(y);
    for (int x = 0; x < floods_.cols; ++x) {
      const cv::Point2d at = view.ground(x + 0.5, y + 0.5);
      if (!canFlood(layout, at.y)) continue;
      const double height = heightAt(layout, at.x, at.y);
      floods[x] = static_cast<float>(
          std::clamp((height - kDeepest) / (kShallowest - kDeepest), 0.02, kNever));
    }
  }
}

// Returns the share of a pixel under water, from the ground's rise to the next pixels; shallow
// water is a film.
double Puddles::cover(int x, int y, double fullness) const {
  const double here = floods_.at<float>(y, x);
  const double right = floods_.at<float>(y, std::min(x + 1, floods_.cols - 1));
  const double below = floods_.at<float>(std::min(y + 1, floods_.rows - 1), x);
  const double slope =
      std::clamp(std::max(std::abs(right - here), std::abs(below - here)), 0.01, 1.0);
  return std::clamp((fullness - here) / slope + 0.5, 0.0, 1.0) * std::min(1.0, 20 * fullness);
}

void Puddles::draw(const Stage& stage) const {
  const Layout& layout = stage.layout;
  const View& view = layout.view;
  const Weather& weather = stage.lighting.weather();
  cv::Mat canvas = stage.canvas;
  const auto footAt = [&](int column) {
    return view.at(view.xAt(column, layout.front), 0, layout.front).y;
  };
  const double left = footAt(0), slope = (footAt(canvas.cols) - left) / canvas.cols;
  const double tremble = kTremble * view.unit * std::min(1.0, 2 * weather.rain);
  const Chance ripples =
      layout.chance.stream(kRipples).stream(std::bit_cast<std::uint64_t>(stage.time));
  for (int y = std::max(0, cvCeil(view.horizon + 1)); y < canvas.rows; ++y) {
    cv::Vec4b* pixel = canvas.ptr<cv::Vec4b>(y);
    const std::uint8_t* label = stage.labels.ptr(y);
    const double depth = view.focal * view.eyeHeight / (y + 0.5 - view.horizon);
    // Schlick's Fresnel term of water; its root is used, as pixel values are not linear light.
    const double down = view.eyeHeight / std::hypot(depth, view.eyeHeight);
    const double mirrored = std::sqrt(0.02 + 0.98 * std::pow(1 - down, 5));
    for (int x = 0; x < canvas.cols; ++x) {
      if (!holdsWater(label[x])) continue;
      const double share = cover(x, y, weather.puddles);
      if (share <= 0) continue;
      const double foot = left + slope * x;
      const double shift =
          tremble * (ripples.uniform(static_cast<std::uint64_t>(y) * 65536 + x) - 0.5);
      const int row = std::clamp(cvFloor(2 * foot - y + shift), 0, std::max(0, cvFloor(foot) - 1));
      const cv::Vec4b& seen = canvas.ptr<cv::Vec4b>(row)[x];
      for (int c = 0; c < 3; ++c) {
        const double dry = pixel[x][c];
        const double water = kUnderWater * dry * (1 - mirrored) + seen[c] * mirrored;
        pixel[x][c] = static_cast<std::uint8_t>(cvRound(mixed(dry, water, share)));
      }
    }
  }
}

namespace {

struct LampPainter {
  Figure figure;
  const Lamp& lamp;
  Colour paint;
  Colour glass;

  double wide() const { return lamp.thickness; }

  void post(double top) const {
    figure.limb({0, 0.1}, {0, top}, wide() * 1.08, wide() * 0.9, paint);
    // A light edge makes it look round.
    figure.limb({-0.2 * wide(), 0.8}, {-0.2 * wide(), top - 0.1}, wide() * 0.2, wide() * 0.2,
                mixed(paint, Colour(1, 1, 1), 0.25));
    figure.limb({0, 0.08}, {0, 0.7}, wide() * 1.7, wide() * 1.4, paint * 0.9);
    figure.limb({0, 0.72}, {0, 0.76}, wide() * 1.75, wide() * 1.75, paint * 1.1);
  }

  void arm() const {  // over the road, seen foreshortened, with a long head
    const double top = lamp.height, reach = 0.42 * lamp.thickness / 0.27;
    post(top - 0.1);
    figure.limb({0, top - 0.15}, {reach, top + 0.05}, wide() * 0.7, wide() * 0.55, paint);
    const double head = lamp.thickness * 2.3;
    figure.limb({reach - 0.1, top + 0.06}, {reach + 1.35 * head, top + 0.1}, head * 0.62,
                head * 0.5, paint);
    figure.paint(
        stroke(figure.at(reach + 0.15 * head, top - 0.04), figure.at(reach + 1.3 * head, top),
               0.42 * head * figure.metre(), 0.34 * head * figure.metre()),
        glass);
  }

  void lantern() const {  // a glass box under a hat
    const double s = lamp.thickness / 0.27, top = lamp.height - 0.75 * s;
    post(top);
    const auto quad = [&](double low, double high, double lowHalf, double highHalf,
                          const Colour& c) {
      figure.paint({figure.at(-highHalf, high), figure.at(highHalf, high), figure.at(lowHalf, low),
                    figure.at(-lowHalf, low)},
                   c);
    };
    quad(top - 0.05 * s, top + 0.1 * s, 0.2 * s, 0.3 * s, figure.lit(paint));
    quad(top + 0.08 * s, top + 0.66 * s, 0.27 * s, 0.42 * s, glass);
    const Colour bars = figure.lit(paint);
    quad(top + 0.08 * s, top + 0.66 * s, 0.04 * s, 0.04 * s, bars);
    quad(top + 0.62 * s, top + 0.72 * s, 0.46 * s, 0.5 * s, bars);
    quad(top + 0.7 * s, top + 0.95 * s, 0.46 * s, 0.08 * s, bars);
    figure.disc({0, top + 1.0 * s}, 0.07 * s, paint);
  }

  void globe() const {  // a ball of milk glass
    const double s = lamp.thickness / 0.27, top = lamp.height - 0.5 * s;
    post(top - 0.1);
    figure.limb({0, top - 0.16 * s}, {0, top}, wide() * 1.3, wide() * 1.9, paint);
    figure.paint(circle(figure.at(0, top + 0.36 * s), 0.42 * s * figure.metre()), glass);
    figure.limb({-0.12 * s, top + 0.77 * s}, {0.12 * s, top + 0.77 * s}, 0.1 * s, 0.1 * s, paint);
  }
};

}  // namespace

void drawLamp(const Stage& stage, const Lamp& lamp) {
  const Figure figure(stage, lamp.x, lamp.z, lamp.x < 0 ? 1 : -1);
  const double on = std::clamp(stage.lighting.light().lamps, 0.0, 1.0);
  const Colour glass =
      mixed(figure.lit(rgb(0xDADFE0), Facing::front), figure.glowing(rgb(0xFFF0CC)), on);
  const LampPainter painter{figure, lamp, stage.layout.lampPaint, glass};
  stage.brush.begin(Class::lamp);
  switch (stage.layout.lampKind) {
    case 0:
      painter.arm();
      break;
    case 1:
      painter.lantern();
      break;
    default:
      painter.globe();
      break;
  }
  stage.brush.end();
}

}  // namespace mpm::scenes
