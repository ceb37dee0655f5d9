// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "random_rows.h"
#include "tolerances.h"
#include "vit/kernels.h"

namespace mpm::test {

/// Tests of one precision, skipped where this processor lacks it.
class InPrecision : public testing::TestWithParam<vit::Precision> {
 protected:
  void SetUp() override {
    if (GetParam() == vit::Precision::bf16 && !vit::hasBf16())
      GTEST_SKIP() << "this processor has no bfloat16 products";
    if (GetParam() == vit::Precision::fp16 && !vit::hasFp16())
      GTEST_SKIP() << "this processor has no float16 products";
  }
  static bool isBf16() { return GetParam() == vit::Precision::bf16; }
  static bool isFp16() { return GetParam() == vit::Precision::fp16; }
  /// What sums of normal operands may be off, as the precision holds them.
  static double sums() { return isFp16() ? kFp16Sums : kVitOperation; }
  static bool isFp32() { return GetParam() == vit::Precision::fp32; }
};

inline std::string nameOfPrecision(const testing::TestParamInfo<vit::Precision>& info) {
  return info.param == vit::Precision::int8   ? "int8"
         : info.param == vit::Precision::fp16 ? "fp16"
         : info.param == vit::Precision::bf16 ? "bf16"
                                              : "fp32";
}

/// To the nearest bfloat16, ties to even, by arithmetic alone; NaN and infinities stay.
inline float roundedToBf16(float x) {
  if (!std::isfinite(x)) return x;
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits += 0x7fff + (bits >> 16 & 1);
  bits &= 0xffff0000;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// To the nearest float16, ties to even, by arithmetic alone; NaN and infinities stay.
inline float roundedToFp16(double x) {
  if (!std::isfinite(x) || x == 0) return static_cast<float>(x);
  constexpr int kBits = 11, kLeastExponent = -13;
  int exponent;
  std::frexp(x, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, kLeastExponent) - kBits);
  const auto rounded = static_cast<float>(std::nearbyint(x / unit) * unit);
  return std::abs(rounded) > 65504 ? std::copysign(std::numeric_limits<float>::infinity(), rounded)
                                   : rounded;
}

/// Rows in int8, in plain C++: each by its largest magnitude. The scale of one that is not finite
/// is NaN.
struct QuantisedRows {
  std::size_t count, dim;
  std::vector<int> values;
  std::vector<float> scales;

  OwnedRows floats(float scale) const {
    OwnedRows out(count, dim);
    for (std::size_t i = 0; i < values.size(); ++i)
      out.data[i] = static_cast<float>(values[i]) * (scales[i / dim] * scale);
    return out;
  }
};
inline QuantisedRows quantisedRows(ConstRows rows) {
  QuantisedRows out{rows.count, rows.dim, {}, {}};
  for (std::size_t i = 0; i < rows.count; ++i) {
    float largest = 0;
    bool isFinite = true;
    for (std::size_t k = 0; k < rows.dim; ++k) {
      largest = std::max(largest, std::abs(rows.row(i)[k]));
      isFinite = isFinite && std::isfinite(rows.row(i)[k]);
    }
    if (!isFinite) {
      out.scales.push_back(std::numeric_limits<float>::quiet_NaN());
      out.values.resize(out.values.size() + rows.dim, 0);
      continue;
    }
    const float factor = largest == 0 ? 0 : 127 / largest;
    out.scales.push_back(largest / 127);
    for (std::size_t k = 0; k < rows.dim; ++k)
      out.values.push_back(static_cast<int>(std::nearbyint(rows.row(i)[k] * factor)));
  }
  return out;
}

/// A value as operands of this precision hold it.
inline float asOperand(vit::Precision precision, float x) {
  if (precision == vit::Precision::fp16) return roundedToFp16(x);
  return precision == vit::Precision::bf16 ? roundedToBf16(x) : x;
}
inline OwnedRows asOperands(vit::Precision precision, ConstRows rows, float scale = 1) {
  if (precision == vit::Precision::int8) return quantisedRows(rows).floats(scale);
  OwnedRows out(rows.count, rows.dim);
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t k = 0; k < rows.dim; ++k) {
      out.row(i)[k] = asOperand(precision, rows.row(i)[k] * scale);
    }
  }
  return out;
}

}  // namespace mpm::test

/// Runs every test of `suite` in each precision, or in each that units hold values of.
#define MPM_IN_EACH_PRECISION(suite)                                             \
  INSTANTIATE_TEST_SUITE_P(                                                      \
      , suite,                                                                   \
      testing::Values(::mpm::vit::Precision::fp32, ::mpm::vit::Precision::bf16,  \
                      ::mpm::vit::Precision::fp16, ::mpm::vit::Precision::int8), \
      ::mpm::test::nameOfPrecision)
#define MPM_IN_EACH_PRECISION_OF_UNITS(suite)                                   \
  INSTANTIATE_TEST_SUITE_P(                                                     \
      , suite,                                                                  \
      testing::Values(::mpm::vit::Precision::fp32, ::mpm::vit::Precision::bf16, \
                      ::mpm::vit::Precision::fp16),                             \
      ::mpm::test::nameOfPrecision)
