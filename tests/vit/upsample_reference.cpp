// SPDX-License-Identifier: Apache-2.0
#include "vit/references.h"

namespace mpm::vit {

void upsampleReference(const UpsampleSource& source, const Taps& rows, const Taps& columns,
                       float* out) {
  const auto at = [&](std::size_t channel, std::int32_t row, std::int32_t column) -> double {
    const auto y = static_cast<std::size_t>(row), x = static_cast<std::size_t>(column);
    if (source.isRows) return source.data[(y * columns.in + x) * source.channels + channel];
    return source.data[(channel * rows.in + y) * columns.in + x];
  };
  const auto between = [](double first, double second, float weight) {
    return first + static_cast<double>(weight) * (second - first);
  };
  for (std::size_t channel = 0; channel < source.channels; ++channel) {
    for (std::size_t y = 0; y < rows.out(); ++y) {
      for (std::size_t x = 0; x < columns.out(); ++x) {
        const auto alongRow = [&](std::int32_t row) {
          return between(at(channel, row, columns.first[x]), at(channel, row, columns.second[x]),
                         columns.weight[x]);
        };
        *out++ = static_cast<float>(
            between(alongRow(rows.first[y]), alongRow(rows.second[y]), rows.weight[y]));
      }
    }
  }
}

}  // namespace mpm::vit
