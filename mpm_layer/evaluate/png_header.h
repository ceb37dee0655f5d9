// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mpm::evaluate {

/// What a PNG says of its pixels before them, and OpenCV does not hand on.
struct PngHeader {
  static constexpr int kGrey = 0, kPalette = 3;

  bool isPng = false;
  int bits = 0, colourType = 0;
  std::vector<std::uint32_t> palette;  ///< 0xRRGGBB
};

/// Of anything that is no whole header of a PNG, `isPng` is false.
PngHeader readPngHeader(const std::string& path);

}  // namespace mpm::evaluate
