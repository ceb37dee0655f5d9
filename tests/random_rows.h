// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "mpm/rows.h"

namespace mpm::test {

/// Rows that own their floats.
struct OwnedRows {
  std::size_t count = 0, dim = 0;
  std::vector<float> data;

  OwnedRows(std::size_t count_, std::size_t dim_, float fill = 0)
      : count(count_), dim(dim_), data(count_ * dim_, fill) {}
  Rows view() { return {data.data(), count, dim}; }
  ConstRows view() const { return {data.data(), count, dim}; }
  float* row(std::size_t i) { return data.data() + i * dim; }
};

inline OwnedRows normalRows(std::size_t count, std::size_t dim, std::uint32_t seed) {
  OwnedRows rows(count, dim);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (float& x : rows.data) x = normal(random);
  return rows;
}

/// +1 and -1: with dim a power of four every similarity is exact, and ties abound.
inline OwnedRows signRows(std::size_t count, std::size_t dim, std::uint32_t seed) {
  OwnedRows rows(count, dim);
  std::mt19937 random(seed);
  for (float& x : rows.data) x = (random() & 1U) != 0 ? 1.0F : -1.0F;
  return rows;
}

/// Rows along a smooth curve: neighbours are nearly parallel, as in flat parts of a picture.
inline OwnedRows smoothRows(std::size_t count, std::size_t dim, std::uint32_t seed) {
  OwnedRows rows(count, dim);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> phase(0, 6.28F);
  for (std::size_t k = 0; k < dim; ++k) {
    const float start = phase(random), speed = phase(random) / 20;
    for (std::size_t i = 0; i < count; ++i) {
      rows.row(i)[k] = 2 + std::sin(start + speed * static_cast<float>(i));
    }
  }
  return rows;
}

}  // namespace mpm::test
