// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/puddle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "models/scenes/classes.h"
#include "models/scenes/curve.h"

namespace mpm::scenes {
namespace {

constexpr double kNever = 4;
constexpr double kDeepest = 0.08, kShallowest = 0.36;  // of the ground's height: full at the second
constexpr double kTremble = 5;                         // rows of a picture 512 high, in heavy rain
constexpr double kUnderWater = 0.6;                    // what is left of the ground's own colour

enum Stream { kBroad = 90, kFine, kRipples };

bool holdsWater(std::uint8_t label) {
  return label == static_cast<int>(Class::road) || label == static_cast<int>(Class::pavement);
}

// Values by chance at the corners of a grid, joined without a corner.
double wave2(const Chance& chance, double x, double z) {
  const double row = std::floor(z);
  const auto at = [&](double line) {
    return wave(chance.stream(static_cast<std::uint64_t>(static_cast<std::int64_t>(line))), x);
  };
  return mixed(at(row), at(row + 1), smoothStep(0, 1, z - row));
}

double bump(double distance, double width) { return std::exp(-std::pow(distance / width, 2)); }

// Of the ground at (x, z), 0 to 1 or so; puddles are long along the street, as its camber is
// across.
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

// Kerbs, and what is no ground at all, stay dry.
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

// The share of a pixel that is under water, by how far the ground rises from it to the next ones;
// what has only begun to gather is a film.
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
    // Schlick's Fresnel term of water; its root, as values are of a picture and not linear light.
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

void Puddles::mark(double fullness, const cv::Mat& labels, cv::Mat& mask) const {
  mask.create(labels.size(), CV_8U);
  for (int y = 0; y < labels.rows; ++y) {
    const std::uint8_t* label = labels.ptr(y);
    std::uint8_t* marked = mask.ptr(y);
    for (int x = 0; x < labels.cols; ++x) {
      marked[x] = holdsWater(label[x]) && cover(x, y, fullness) >= 0.5 ? 255 : 0;
    }
  }
}

}  // namespace mpm::scenes
