// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/scenes/chance.h"

namespace mpm::scenes {

/// Normal deviates are kept as numbers of bins: kNoiseBins of them between -4 and 4.
constexpr int kNoiseBins = 512;
constexpr double deviateOf(int bin) { return (bin - (kNoiseBins - 1) / 2.0) * (8.0 / kNoiseBins); }

/// Normal deviates, drawn once for the whole program: mean 0 and variance 1 to 1e-4. Whoever needs
/// noise for a row of pixels takes a piece of the strip that a hash chose, turned over or not, so
/// that no pattern comes back.
class NoiseStrip {
 public:
  static constexpr std::size_t kLongestPiece = 4096;

  struct Piece {
    const std::uint16_t* bins;  ///< kLongestPiece of them
    unsigned turn;              ///< to be xored with every bin
  };

  static const NoiseStrip& get();

  Piece piece(const Chance& chance, std::uint64_t index) const {
    const std::uint64_t bits = chance.bits(index);
    const std::size_t offset = (bits >> 8) % (bins_.size() - kLongestPiece + 1);
    return {bins_.data() + offset, (bits & 1) != 0 ? kNoiseBins - 1U : 0U};
  }

 private:
  NoiseStrip();
  std::vector<std::uint16_t> bins_;
};

}  // namespace mpm::scenes
