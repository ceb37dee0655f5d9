// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

/// What mpm_layer/merge/tensor_core_cuda.h does with a GPU's instructions, which stands behind this
/// one among the include paths: the same functions, fragments laid out as described there.
namespace mpm::merge {

/// To nearest, ties away from zero: 10 bits of the mantissa stay.
inline float roundToTf32(float x) {
  const unsigned bits = __float_as_uint(x);
  if ((bits & 0x7F800000U) == 0x7F800000U) return x;
  return __uint_as_float((bits + 0x1000U) & ~0x1FFFU);
}

namespace on_host_tensor_core {

struct Fragments {
  float* sum;              // [4]
  const std::uint32_t* a;  // [4]
  const std::uint32_t* b;  // [2]
};

struct Tf32 {
  static constexpr int kElements = 1;  // of a word
  static double element(std::uint32_t word, int) {
    return static_cast<double>(__uint_as_float(word & ~0x1FFFU));
  }
};
struct Bf16 {
  static constexpr int kElements = 2;
  static double element(std::uint32_t word, int at) {
    return static_cast<double>(__uint_as_float(at == 0 ? word << 16 : word & 0xFFFF0000U));
  }
};

/// The hardware keeps some bits more than float32 has while it adds, and cuts the sum: so does
/// this, with the bits of a double.
inline float cut(double exact) {
  const auto nearest = static_cast<float>(exact);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(exact) ? std::nextafterf(nearest, 0.0F)
                                                                    : nearest;
}

template <class Kind>
void multiply(const on_host::Brought& brought) {
  constexpr int kDepth = 8 * Kind::kElements;
  double a[16][kDepth], b[kDepth][8], sum[16][8];
  const auto of = [&](int lane) {
    return static_cast<Fragments*>(brought[static_cast<unsigned>(lane)]);
  };
  const auto rowOf = [](int lane, int at) { return lane / 4 + 8 * (at / 2); };
  const auto columnOf = [](int lane, int at) { return 2 * (lane % 4) + at % 2; };
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, word = lane % 4;
    for (int e = 0; e < Kind::kElements; ++e) {
      for (int half = 0; half < 2; ++half) {
        const int k = (word + 4 * half) * Kind::kElements + e;
        a[group][k] = Kind::element(of(lane)->a[2 * half], e);
        a[group + 8][k] = Kind::element(of(lane)->a[2 * half + 1], e);
        b[k][group] = Kind::element(of(lane)->b[half], e);
      }
    }
    for (int at = 0; at < 4; ++at) {
      sum[rowOf(lane, at)][columnOf(lane, at)] = static_cast<double>(of(lane)->sum[at]);
    }
  }
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < kDepth; ++k) {
      for (int column = 0; column < 8; ++column) sum[row][column] += a[row][k] * b[k][column];
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    for (int at = 0; at < 4; ++at) {
      of(lane)->sum[at] = cut(sum[rowOf(lane, at)][columnOf(lane, at)]);
    }
  }
}

}  // namespace on_host_tensor_core

inline void multiplyTf32(float (&sum)[4], const std::uint32_t (&a)[4],
                         const std::uint32_t (&b)[2]) {
  on_host_tensor_core::Fragments mine{sum, a, b};
  on_host::meet(0xFFFFFFFFU, "mma.sync of tf32", &mine,
                on_host_tensor_core::multiply<on_host_tensor_core::Tf32>);
}

inline void multiplyBf16(float (&sum)[4], const std::uint32_t (&a)[4],
                         const std::uint32_t (&b)[2]) {
  on_host_tensor_core::Fragments mine{sum, a, b};
  on_host::meet(0xFFFFFFFFU, "mma.sync of bf16", &mine,
                on_host_tensor_core::multiply<on_host_tensor_core::Bf16>);
}

}  // namespace mpm::merge
