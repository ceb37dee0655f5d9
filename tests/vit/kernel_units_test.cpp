// SPDX-License-Identifier: Apache-2.0
// Rows of floats as operands of products, and back: exact.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "processor/simd.h"
#include "vit/in_precision.h"
#include "vit/kernels.h"
#include "vit/linear.h"
#include "vit/poisoned_rows.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;
using test::PoisonedUnits;

constexpr std::size_t kDims[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 193};

class KernelUnits : public test::InPrecision {
 protected:
  const Kernels& kernel() const { return kernels(GetParam()); }
};

TEST_P(KernelUnits, AreSoManyValues) {
  EXPECT_EQ(kernel().unitValues, isFp32() ? 1U : 2U);
  EXPECT_EQ(kernel().units(7), isFp32() ? 7U : 4U);
  EXPECT_TRUE(kernel().panelColumns % kColumnStep == 0 || kColumnStep % kernel().panelColumns == 0);
}

TEST_P(KernelUnits, OfRowsHoldTheRowsScaledAndZeros) {
  for (const std::size_t dim : kDims) {
    for (const float scale : {1.0F, 0.37F}) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << ", scale " << scale << ", seed 42");
      PoisonedRows in(test::normalRows(5, dim, 42));
      PoisonedUnits units(5, kernel().units(padded(dim)));
      kernel().toUnits(in.view(), scale, units.view().data, units.view().stride);
      units.expectPoisonUntouched();
      const OwnedRows expected = test::asOperands(GetParam(), in.view(), scale);
      std::vector<float> floats(padded(dim) + 1, 7);
      for (std::size_t i = 0; i < 5; ++i) {
        kernel().toFloats(units.view().row(i), padded(dim), floats.data());
        for (std::size_t k = 0; k < padded(dim); ++k) {
          ASSERT_EQ(floats[k], k < dim ? expected.view().row(i)[k] : 0)
              << "row " << i << ", column " << k;
        }
        kernel().toFloats(units.view().row(i), dim, floats.data());
        ASSERT_EQ(floats.back(), 7);
      }
    }
  }
}

TEST_P(KernelUnits, OfColumnsHoldPairsOfRows) {
  const std::size_t values = kernel().unitValues;
  for (const std::size_t rows : {1, 2, 3, 8, 13}) {
    for (const std::size_t dim : kDims) {
      SCOPED_TRACE(testing::Message() << rows << " rows, dim " << dim << ", seed 43");
      PoisonedRows in(test::normalRows(rows, dim, 43));
      PoisonedUnits units(kernel().units(rows), dim);
      kernel().toUnitColumns(in.view(), units.view().data, units.view().stride);
      units.expectPoisonUntouched();
      const OwnedRows expected = test::asOperands(GetParam(), in.view());
      for (std::size_t i = 0; i < units.view().count * values; ++i) {
        for (std::size_t k = 0; k < dim; ++k) {
          float pair[2] = {};
          kernel().toFloats(units.view().row(i / values) + k, values, pair);
          ASSERT_EQ(pair[i % values], i < rows ? expected.view().row(i)[k] : 0)
              << "row " << i << ", column " << k;
        }
      }
    }
  }
}

// Halfway between two of bfloat16, and of float16, to the even one; what is more than the largest,
// to infinity.
TEST_P(KernelUnits, AreRoundedToTheNearestTiesToEven) {
  const float largest = std::numeric_limits<float>::max();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, float>> rounded = {{1.0F, 1.0F},
                                                        {1.00390625F, 1.0F},
                                                        {1.01171875F, 1.015625F},
                                                        {1.003907F, 1.0078125F},
                                                        {-1.00390625F, -1.0F},
                                                        {-1.01171875F, -1.015625F},
                                                        {1.00048828125F, 1.0F},
                                                        {1.00146484375F, 1.0F},
                                                        {0.0F, 0.0F},
                                                        {largest, infinity},
                                                        {-infinity, -infinity}};
  for (const auto& [x, expected] : rounded) {
    const OwnedRows row(1, 1, x);
    std::vector<Unit> units(kColumnStep);
    std::vector<float> value(1);
    kernel().toUnits(row.view(), 1, units.data(), kColumnStep);
    kernel().toFloats(units.data(), 1, value.data());
    EXPECT_EQ(value[0], isFp16() ? test::roundedToFp16(x) : isBf16() ? expected : x) << x;
    EXPECT_EQ(test::roundedToBf16(x), expected) << x;
  }
  EXPECT_EQ(test::roundedToFp16(1.00048828125F), 1.0F);
  EXPECT_EQ(test::roundedToFp16(1.00146484375F), 1.001953125F);
  EXPECT_EQ(test::roundedToFp16(65519.0F), 65504.0F);
  EXPECT_EQ(test::roundedToFp16(65520.0F), infinity);
  EXPECT_EQ(test::roundedToFp16(0x1.8p-24F), 0x1p-23F);
  const OwnedRows nan(1, 1, std::numeric_limits<float>::quiet_NaN());
  std::vector<Unit> units(kColumnStep);
  std::vector<float> value(1);
  kernel().toUnits(nan.view(), 1, units.data(), kColumnStep);
  kernel().toFloats(units.data(), 1, value.data());
  EXPECT_TRUE(std::isnan(value[0]));
}

OwnedRows transposed(ConstRows rows) {
  OwnedRows out(rows.dim, rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t k = 0; k < rows.dim; ++k) out.row(k)[i] = rows.row(i)[k];
  }
  return out;
}

bool isSame(const PackedMatrix& a, const PackedMatrix& b) {
  const std::size_t units = padded(a.outputs()) * kernels(a.precision()).units(a.inputs());
  return a.inputs() == b.inputs() && a.outputs() == b.outputs() && a.precision() == b.precision() &&
         std::memcmp(a.view().data, b.view().data, units * sizeof(Unit)) == 0;
}

// As the contract lays it out: panels, in them units of the sum, in them columns.
TEST_P(KernelUnits, AreLaidOutInPanelsOfBothLayouts) {
  const std::size_t values = kernel().unitValues;
  for (const std::size_t inputs : {1, 2, 17, 33}) {
    for (const std::size_t outputs : {1, 15, 16, 17, 64, 65, 130}) {
      SCOPED_TRACE(testing::Message() << inputs << " to " << outputs << ", seed 44");
      PoisonedRows weight(test::normalRows(outputs, inputs, 44));
      PoisonedRows turned(transposed(weight.view()));
      const PackedMatrix packed(weight.view(), Layout::outByIn, GetParam());
      EXPECT_TRUE(isSame(packed, PackedMatrix(turned.view(), Layout::inByOut, GetParam())));
      ASSERT_EQ(packed.inputs(), inputs);
      ASSERT_EQ(packed.outputs(), outputs);
      const std::size_t panel = kernel().panelColumns, units = kernel().units(inputs);
      for (std::size_t j = 0; j < padded(outputs); ++j) {
        const std::size_t first = j / panel * panel;
        const std::size_t width = std::min(panel, padded(outputs) - first);
        for (std::size_t k = 0; k < units * values; ++k) {
          const Unit* unit = packed.view().data + first * units + k / values * width + (j - first);
          float pair[2] = {};
          kernel().toFloats(unit, values, pair);
          const float expected =
              j < outputs && k < inputs ? test::asOperand(GetParam(), weight.view().row(j)[k]) : 0;
          ASSERT_EQ(pair[k % values], expected) << "input " << k << ", output " << j;
        }
      }
    }
  }
}

TEST_P(KernelUnits, PackedAnewForgetWhatTheyWere) {
  const OwnedRows large = test::normalRows(65, 48, 45), small = test::normalRows(17, 5, 46);
  PackedMatrix matrix(large.view(), Layout::outByIn, GetParam());
  const Unit* const memory = matrix.view().data;
  matrix.pack(small.view(), Layout::outByIn, GetParam());
  EXPECT_EQ(matrix.view().data, memory);
  EXPECT_TRUE(isSame(matrix, PackedMatrix(small.view(), Layout::outByIn, GetParam())));
  matrix.pack(large.view(), Layout::inByOut, GetParam());
  EXPECT_TRUE(isSame(matrix, PackedMatrix(large.view(), Layout::inByOut, GetParam())));
}

MPM_IN_EACH_PRECISION_OF_UNITS(KernelUnits);

// Asking whether there is bfloat16 once made every later choice that of the best instruction set.
TEST(Kernels, OfEachPrecisionAreOfTheInstructionSetThatWasForced) {
  const std::string& level = processor::simdChoice().level;
  if (level != "sse4" && level != "avx2") GTEST_SKIP() << "the best one, or one as wide";
  EXPECT_FALSE(hasBf16());
  for (const Precision precision : {Precision::fp32, Precision::int8})
    EXPECT_EQ(kernels(precision).panelColumns, level == "sse4" ? 8U : 16U);
  EXPECT_EQ(fp32Kernels().panelColumns, level == "sse4" ? 8U : 16U);
}

bool isIntels() {
  std::ifstream file("/proc/cpuinfo");
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  return all.find("GenuineIntel") != std::string::npos;
}

TEST(Kernels, OfInt8StandBesideTheFasterOfBfloat16AndFloat32) {
  if (!hasBf16()) GTEST_SKIP() << "this processor does not compute in bf16";
  const char* named = std::getenv("MPM_SIMD");
  const bool isNamed = named != nullptr && *named != '\0';
  const bool isFaster = processor::simdChoice().level == "amx" || !isIntels();
  EXPECT_EQ(unquantised(Precision::int8), isNamed || isFaster ? Precision::bf16 : Precision::fp32);
}

TEST(Kernels, OfAPrecisionThatThisProcessorLacksAreRefused) {
  if (!hasBf16()) {
    EXPECT_THROW(kernels(Precision::bf16), std::invalid_argument);
  }
  if (!hasFp16()) {
    EXPECT_THROW(kernels(Precision::fp16), std::invalid_argument);
  }
}

}  // namespace
}  // namespace mpm::vit
