// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/noise_strip.h"

#include <cmath>
#include <utility>

namespace mpm::scenes {
namespace {

// With 16 bits each it stays in a second-level cache.
constexpr std::size_t kLength = std::size_t{1} << 17;

double normalShareBelow(double deviate) { return 0.5 * std::erfc(-deviate / std::sqrt(2.0)); }

}  // namespace

const NoiseStrip& NoiseStrip::get() {
  static const NoiseStrip strip;
  return strip;
}

// Every bin as often as the normal distribution has it, in an order by chance.
NoiseStrip::NoiseStrip() {
  bins_.reserve(kLength);
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    const double share =
        bin + 1 == kNoiseBins ? 1 : normalShareBelow((deviateOf(bin) + deviateOf(bin + 1)) / 2);
    const auto end = static_cast<std::size_t>(std::lround(share * kLength));
    while (bins_.size() < end) bins_.push_back(static_cast<std::uint16_t>(bin));
  }
  const Chance chance(7400);
  for (std::size_t i = kLength; i > 1; --i) std::swap(bins_[i - 1], bins_[chance.bits(i) % i]);
}

}  // namespace mpm::scenes
