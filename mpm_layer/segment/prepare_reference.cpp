// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "segment/prepare.h"

namespace mpm::segment {
namespace {

double valueAt(const Picture& picture, int y, int x, int channel) {
  const int c = picture.channels == 1 ? 0 : channel;
  return picture.pixels[static_cast<std::size_t>(y) * picture.rowBytes +
                        static_cast<std::size_t>(x * picture.channels + c)];
}

double resizedAt(const Picture& picture, const View& view, int y, int x, int channel) {
  const Tap row = tapAt((y + 0.5) * picture.height / view.resizedHeight - 0.5, picture.height);
  const Tap column = tapAt((x + 0.5) * picture.width / view.resizedWidth - 0.5, picture.width);
  const auto between = [&](int line) {
    const double a = valueAt(picture, line, column.first, channel);
    const double b = valueAt(picture, line, column.second, channel);
    return a + column.weight * (b - a);
  };
  const double above = between(row.first), below = between(row.second);
  return above + row.weight * (below - above);
}

}  // namespace

void prepareReference(const Picture& picture, const View& view, const Colours& colours,
                      float* planes) {
  for (int plane = 0; plane < 3; ++plane) {
    const int channel = colours.rgb ? 2 - plane : plane;  // pictures are BGR
    for (int y = 0; y < view.height; ++y) {
      for (int x = 0; x < view.width; ++x) {
        const int row = view.top + y, column = view.left + x;
        const bool isPadding = row >= view.resizedHeight || column >= view.resizedWidth;
        const double value =
            isPadding
                ? 0
                : (resizedAt(picture, view, row, column, channel) / 255 - colours.mean[plane]) /
                      colours.std[plane];
        *planes++ = static_cast<float>(value);
      }
    }
  }
}

}  // namespace mpm::segment
