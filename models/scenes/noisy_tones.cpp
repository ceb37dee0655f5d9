// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/noisy_tones.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mpm::scenes {
namespace {

// Fine enough for sRGB's straight part: a fifth of a value for each step.
constexpr int kLightSteps = 16384;

double encoded(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

const std::vector<std::uint8_t>& valuesOfLight() {
  static const std::vector<std::uint8_t> values = [] {
    std::vector<std::uint8_t> made(kLightSteps);
    for (int i = 0; i < kLightSteps; ++i) {
      const double light = static_cast<double>(i) / (kLightSteps - 1);
      made[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(255 * encoded(light) + 0.5);
    }
    return made;
  }();
  return values;
}

}  // namespace

const std::array<float, 256>& linearLight() {
  static const std::array<float, 256> light = [] {
    std::array<float, 256> made{};
    for (std::size_t value = 0; value < made.size(); ++value) {
      const double v = static_cast<double>(value) / 255;
      made[value] =
          static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
    }
    return made;
  }();
  return light;
}

NoisyTones::NoisyTones() : tones_(256 * std::size_t{kNoiseBins}) {}

void NoisyTones::set(double gain, double electrons,
                     const std::function<void(double mean, Quantiles& found)>& quantiles) {
  const std::uint8_t* values = valuesOfLight().data();
  const auto scale = static_cast<float>((kLightSteps - 1) / electrons);
  Quantiles found;
  for (std::size_t value = 0; value < 256; ++value) {
    quantiles(gain * electrons * linearLight()[value], found);
    std::uint8_t* row = tones_.data() + value * kNoiseBins;
    for (std::size_t bin = 0; bin < kNoiseBins; ++bin) {
      const float light = std::clamp(found[bin] * scale + 0.5F, 0.0F, kLightSteps - 1.0F);
      row[bin] = values[static_cast<std::size_t>(light)];
    }
  }
}

void NoisyTones::apply(cv::Mat& picture, const Chance& chance) const {
  const NoiseStrip& strip = NoiseStrip::get();
  const std::size_t width = static_cast<std::size_t>(picture.cols) * picture.elemSize();
  std::uint64_t index = 0;
  for (int y = 0; y < picture.rows; ++y) {
    std::uint8_t* row = picture.ptr(y);
    for (std::size_t from = 0; from < width; from += NoiseStrip::kLongestPiece) {
      const std::size_t end = std::min(width, from + NoiseStrip::kLongestPiece);
      const auto [bins, turn] = strip.piece(chance, index++);
      for (std::size_t i = from; i < end; ++i) {
        row[i] = tones_[row[i] * std::size_t{kNoiseBins} + (bins[i - from] ^ turn)];
      }
    }
  }
}

}  // namespace mpm::scenes
