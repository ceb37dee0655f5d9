// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <opencv2/core/hal/intrin.hpp>

#include "models/scenes/drawing/still.h"

namespace mpm::scenes {
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

// Two pixels at a time, which share their sun and their lamp light. The loop's functions are those
// that OpenCV 4.6 and 4.10 both have.
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

}  // namespace mpm::scenes
