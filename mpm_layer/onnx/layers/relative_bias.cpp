// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/attention_positions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/recognise/embedding.h"

namespace mpm::onnx {
namespace {

constexpr float kTolerance = 1e-5F;  // of the largest number

// Where the numbers for a query and a key stand, those of all heads.
struct Place {
  std::vector<float> RelativeBias::*in;
  std::int64_t at;
};

Place placeOf(const RelativeBias& bias, std::int64_t query, std::int64_t key) {
  const std::int64_t s = bias.special, width = bias.columns;
  if (query < s && key < s) return {&RelativeBias::amongSpecial, query * s + key};
  if (query < s) return {&RelativeBias::ofSpecial, query};
  if (key < s) return {&RelativeBias::toSpecial, key};
  const std::int64_t q = query - s, k = key - s;
  const std::int64_t down = q / width - k / width + bias.rows - 1;
  const std::int64_t across = q % width - k % width + width - 1;
  return {&RelativeBias::byDistance, down * (2 * width - 1) + across};
}

template <class Bias>
auto& numberOf(Bias& bias, std::int64_t head, std::int64_t query, std::int64_t key) {
  const Place place = placeOf(bias, query, key);
  return (bias.*place.in)[static_cast<std::size_t>(place.at * bias.heads + head)];
}

}  // namespace

void RelativeBias::write(float* out) const {
  const std::int64_t count = special + rows * columns;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t query = 0; query < count; ++query) {
      for (std::int64_t key = 0; key < count; ++key) *out++ = numberOf(*this, head, query, key);
    }
  }
}

std::optional<RelativeBias> findRelativeBias(const float* values, std::int64_t heads,
                                             const std::vector<std::size_t>& places,
                                             std::int64_t rows, std::int64_t columns) {
  const auto count = static_cast<std::int64_t>(places.size());
  RelativeBias found{heads, count - rows * columns, rows, columns, {}, {}, {}, {}};
  const auto special = static_cast<std::size_t>(found.special);
  const auto width = static_cast<std::size_t>(heads);
  const auto empty = [&](std::size_t numbers) {
    return std::vector<float>(numbers * width, std::numeric_limits<float>::quiet_NaN());
  };
  found.byDistance = empty(static_cast<std::size_t>((2 * rows - 1) * (2 * columns - 1)));
  found.ofSpecial = empty(special);
  found.toSpecial = empty(special);
  found.amongSpecial = empty(special * special);
  const std::size_t plane = places.size() * places.size();
  float largest = 0;
  for (std::size_t i = 0; i < plane * width; ++i) largest = std::max(largest, std::abs(values[i]));
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t query = 0; query < count; ++query) {
      const float* const row = values + static_cast<std::size_t>(head) * plane +
                               places[static_cast<std::size_t>(query)] * places.size();
      for (std::int64_t key = 0; key < count; ++key) {
        const float value = row[places[static_cast<std::size_t>(key)]];
        float& known = numberOf(found, head, query, key);
        if (std::isnan(known)) known = value;
        if (!(std::abs(value - known) <= kTolerance * largest)) return std::nullopt;
      }
    }
  }
  return found;
}

RelativeBias biasOnGrid(const RelativeBias& bias, std::int64_t rows, std::int64_t columns) {
  RelativeBias moved = bias;
  moved.rows = rows;
  moved.columns = columns;
  moved.byDistance = resizePositions(bias.byDistance, bias.heads, 2 * bias.rows - 1,
                                     2 * bias.columns - 1, 2 * rows - 1, 2 * columns - 1);
  return moved;
}

}  // namespace mpm::onnx
