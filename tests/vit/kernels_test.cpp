// SPDX-License-Identifier: Apache-2.0
// Products of the kernels against plain sums in double, whole and in parts; and rows of floats as
// operands of products, and back: exact.
#include "vit/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "processor/simd.h"
#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/linear.h"
#include "vit/poisoned_rows.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;
using test::PoisonedUnits;

constexpr std::uint32_t kSeed = 41;

struct ProductShape {
  std::size_t rows, inputs, outputs;
};

/// Random factors of a product, and what it is: sums in double of the operands as the precision
/// holds them, so what is left to tolerate is float32's sums, in bfloat16 too.
struct ProductCase {
  const Kernels& kernel;
  OwnedRows a, addend, exact, bias;
  PackedMatrix b;
  PoisonedUnits units;  // of a

  ProductCase(Precision precision, const ProductShape& shape)
      : kernel(kernels(precision)),
        a(test::normalRows(shape.rows, shape.inputs, kSeed)),
        addend(test::normalRows(shape.rows, shape.outputs, kSeed + 1)),
        exact(shape.rows, shape.outputs),
        bias(1, padded(shape.outputs)),
        units(shape.rows, kernel.operandStride(shape.inputs)) {
    OwnedRows weight = test::normalRows(shape.outputs, shape.inputs, kSeed + 2);
    for (float& w : weight.data) w /= std::sqrt(static_cast<float>(shape.inputs));
    b.pack(weight.view(), Layout::outByIn, precision);
    kernel.toOperands(a.view(), 1, units.view().data, units.view().stride);
    const OwnedRows left = test::asOperands(precision, a.view());
    const OwnedRows right = test::asOperands(precision, weight.view());
    linearReference(left.view(), {right.view(), nullptr}, exact.view());
    const OwnedRows biases = test::normalRows(1, shape.outputs, kSeed + 3);
    std::copy(biases.data.begin(), biases.data.end(), bias.data.begin());
  }

  Product product() {
    return {units.view().data, units.view().stride, a.count, b.view(), 0, a.dim, 0, b.outputs()};
  }
  Finish finish(const Gelu* gelu = nullptr) const {
    Finish with;
    with.bias = bias.data.data();
    with.gelu = gelu;
    return with;
  }
  OwnedRows expected(bool hasBias, bool hasAddend) const {
    OwnedRows out = exact;
    for (std::size_t i = 0; i < out.count; ++i) {
      for (std::size_t j = 0; j < out.dim; ++j) {
        if (hasBias) out.row(i)[j] += bias.data[j];
        if (hasAddend) out.row(i)[j] += addend.view().row(i)[j];
      }
    }
    return out;
  }
  // Floats of the sums plus bias, and GELU.
  OwnedRows rows(const Gelu* gelu = nullptr) {
    OwnedRows out(a.count, b.outputs());
    Finish to = finish(gelu);
    to.rows = out.data.data();
    to.stride = out.dim;
    kernel.multiply(product(), to);
    return out;
  }
};

// Around the sizes of vectors, panels and row groups of every instruction set.
std::vector<ProductShape> shapes() {
  const std::size_t sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 80, 192};
  std::vector<ProductShape> all;
  for (std::size_t rows = 1; rows <= 13; ++rows) {
    for (const std::size_t outputs : {1, 8, 16, 17, 32, 48, 64, 65, 192}) {
      all.push_back({rows, 17, outputs});
      all.push_back({rows, 2, outputs});
    }
  }
  for (const std::size_t inputs : sizes) {
    for (const std::size_t outputs : sizes) all.push_back({5, inputs, outputs});
  }
  for (const std::size_t rows : {16, 47, 48}) {
    for (const std::size_t outputs : {3, 64, 80, 193}) all.push_back({rows, 33, outputs});
  }
  all.push_back({7, 3072, 24});
  return all;
}

class Multiply : public test::InPrecision {
 protected:
  template <class Body>
  void forEachShape(const Body& body) {
    for (const ProductShape& shape : shapes()) {
      SCOPED_TRACE(testing::Message()
                   << shape.rows << " x " << shape.inputs << " by " << shape.inputs << " x "
                   << shape.outputs << ", seed " << kSeed);
      ProductCase given(GetParam(), shape);
      body(given);
      given.units.expectPoisonUntouched();
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(Multiply, GivesRowsOfFloatsPlusBiasPlusAddend) {
  forEachShape([](ProductCase& given) {
    for (const bool hasBias : {false, true}) {
      for (const char* addend : {"none", "apart", "in place"}) {
        SCOPED_TRACE(testing::Message() << (hasBias ? "bias, " : "") << "addend " << addend);
        const bool hasAddend = *addend != 'n', inPlace = *addend == 'i';
        PoisonedRows apart(given.addend), out(given.a.count, given.b.outputs());
        PoisonedRows& to = inPlace ? apart : out;
        Finish finish;
        finish.bias = hasBias ? given.bias.data.data() : nullptr;
        finish.addend = hasAddend ? apart.view().data : nullptr;
        finish.addendStride = apart.view().stride;
        finish.rows = to.view().data;
        finish.stride = to.view().stride;
        given.kernel.multiply(given.product(), finish);
        test::expectNear(to.view(), given.expected(hasBias, hasAddend).view(), sums());
        to.expectPoisonUntouched();
      }
    }
  });
}

// A float32 row is its own units: as it lies, with nothing behind its last feature.
TEST_P(Multiply, ReadsFloatRowsAsTheyLie) {
  if (!isFp32()) GTEST_SKIP() << "rows of floats are no units of other precisions";
  forEachShape([](ProductCase& given) {
    PoisonedRows a(given.a), out(given.a.count, given.b.outputs());
    Product product = given.product();
    product.a = asUnits(a.view().data);
    product.aStride = a.view().stride;
    Finish finish;
    finish.rows = out.view().data;
    finish.stride = out.view().stride;
    given.kernel.multiply(product, finish);
    test::expectNear(out.view(), given.exact.view(), test::kVitOperation);
  });
}

// What becomes bfloat16 or int8 need not be exact beyond it.
TEST_P(Multiply, GivesEachGeluOfTheSums) {
  const double tolerance = isFp16()   ? test::kFp16Sums
                           : isFp32() ? test::kVitOperation
                                      : test::kBf16Gelu;
  forEachShape([&](ProductCase& given) {
    for (const Gelu gelu : kGelus) {
      SCOPED_TRACE(static_cast<int>(gelu));
      OwnedRows expected = given.expected(true, false);
      geluReference(gelu, expected.view());
      test::expectNear(given.rows(&gelu).view(), expected.view(), tolerance);
    }
  });
}

// The same sums as rows of floats, rounded once, and zeros to the end of the last vector: as unit
// rows; as these turned, a row for each unit; and as unit columns, of which a unit is of two rows.
TEST_P(Multiply, GivesUnits) {
  const Gelu erf = Gelu::erf;
  forEachShape([&](ProductCase& given) {
    const Kernels& kernel = given.kernel;
    const std::size_t count = given.a.count, outputs = given.b.outputs();
    const std::size_t columns = padded(outputs), values = kernel.unitValues;
    for (const Gelu* gelu : {static_cast<const Gelu*>(nullptr), &erf}) {
      const OwnedRows expected = test::asOperands(unquantised(GetParam()), given.rows(gelu).view());
      PoisonedUnits rows(count, kernel.units(columns)), turned(kernel.units(columns), count);
      PoisonedUnits ofColumns(kernel.units(count), columns);
      Finish toRows = given.finish(gelu), toTurned = toRows, toColumns = toRows;
      toRows.unitRows = rows.view().data, toRows.stride = rows.view().stride;
      toTurned.turnedUnitRows = turned.view().data, toTurned.stride = turned.view().stride;
      toColumns.unitColumns = ofColumns.view().data, toColumns.stride = ofColumns.view().stride;
      for (const Finish& finish : {toRows, toTurned, toColumns})
        kernel.multiply(given.product(), finish);
      for (const PoisonedUnits* units : {&rows, &turned, &ofColumns})
        units->expectPoisonUntouched();
      const auto valueOf = [&](const Unit* unit, std::size_t at) {
        float pair[2] = {};
        kernel.toFloats(unit, values, pair);
        return pair[at];
      };
      for (std::size_t i = 0; i < kernel.units(count) * values; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const float wanted = i < count && j < outputs ? expected.view().row(i)[j] : 0;
          if (j < outputs) {
            ASSERT_EQ(valueOf(ofColumns.view().row(i / values) + j, i % values), wanted)
                << "row " << i << ", column " << j;
          }
          if (i >= count) continue;
          ASSERT_EQ(valueOf(rows.view().row(i) + j / values, j % values), wanted)
              << "row " << i << ", column " << j;
          ASSERT_EQ(valueOf(turned.view().row(j / values) + i, j % values), wanted)
              << "row " << i << ", column " << j;
        }
      }
    }
  });
}

// Columns in parts, as a block's hidden features take them.
TEST_P(Multiply, InPartsOfColumnsGivesTheSameBits) {
  const std::size_t panel = std::max(kernels(GetParam()).panelColumns, kColumnStep);
  for (const std::size_t outputs : {panel + 1, 2 * panel, 3 * panel - 3, std::size_t{193}}) {
    ProductCase given(GetParam(), {13, 33, outputs});
    const OwnedRows whole = given.rows();
    for (const std::size_t step : {panel, 2 * panel}) {
      SCOPED_TRACE(testing::Message() << outputs << " outputs in steps of " << step);
      PoisonedRows out(13, outputs);
      for (std::size_t first = 0; first < outputs; first += step) {
        Product product = given.product();
        product.firstColumn = first;
        product.columns = std::min(step, outputs - first);
        Finish finish;
        finish.bias = given.bias.data.data() + first;
        finish.rows = out.view().data + first;
        finish.stride = out.view().stride;
        given.kernel.multiply(product, finish);
      }
      test::expectNear(out.view(), whole.view(), 0);
      out.expectPoisonUntouched();
    }
  }
}

TEST_P(Multiply, InPartsOfTheSumAddsUp) {
  if (GetParam() == Precision::int8) GTEST_SKIP() << "each part has a scale of its own";
  for (const std::size_t inputs : {17, 48, 100, 193}) {
    for (const std::size_t step : {kColumnStep, 3 * kColumnStep}) {
      SCOPED_TRACE(testing::Message() << inputs << " inputs in steps of " << step);
      ProductCase given(GetParam(), {7, inputs, 65});
      PoisonedRows out(given.addend);
      for (std::size_t first = 0; first < inputs; first += step) {
        Product product = given.product();
        product.a += given.kernel.units(first);
        product.firstInput = first;
        product.inputs = std::min(step, inputs - first);
        Finish finish;
        finish.bias = first == 0 ? given.bias.data.data() : nullptr;
        finish.rows = out.view().data;
        finish.addend = out.view().data;
        finish.stride = finish.addendStride = out.view().stride;
        given.kernel.multiply(product, finish);
      }
      test::expectNear(out.view(), given.expected(true, true).view(), sums());
      out.expectPoisonUntouched();
    }
  }
}

MPM_IN_EACH_PRECISION(Multiply);

// ---- Rows as operands -----------------------------------------------------------------------

class KernelUnits : public test::InPrecision {
 protected:
  const Kernels& kernel() const { return kernels(GetParam()); }
  float roundTrip(float x) const {
    const OwnedRows row(1, 1, x);
    Unit units[kColumnStep];
    float value = 0;
    kernel().toUnits(row.view(), 1, units, kColumnStep);
    kernel().toFloats(units, 1, &value);
    return value;
  }
};

TEST_P(KernelUnits, OfRowsHoldTheRowsScaledAndZeros) {
  for (const std::size_t dim : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 193}) {
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

// Halfway between two of bfloat16, and of float16, to the even one; what is more than the largest,
// to infinity.
TEST_P(KernelUnits, AreRoundedToTheNearestTiesToEven) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, float>> bf16 = {{1.0F, 1.0F},
                                                     {1.00390625F, 1.0F},
                                                     {1.01171875F, 1.015625F},
                                                     {1.003907F, 1.0078125F},
                                                     {-1.00390625F, -1.0F},
                                                     {-1.01171875F, -1.015625F},
                                                     {1.00048828125F, 1.0F},
                                                     {1.00146484375F, 1.0F},
                                                     {0.0F, 0.0F},
                                                     {std::numeric_limits<float>::max(), kInfinity},
                                                     {-kInfinity, -kInfinity}};
  for (const auto& [x, rounded] : bf16) {
    EXPECT_EQ(test::roundedToBf16(x), rounded) << x;
    EXPECT_EQ(roundTrip(x), test::asOperand(GetParam(), x)) << x;
  }
  const std::vector<std::pair<float, float>> fp16 = {{1.00048828125F, 1.0F},
                                                     {1.00146484375F, 1.001953125F},
                                                     {65519.0F, 65504.0F},
                                                     {65520.0F, kInfinity},
                                                     {0x1.8p-24F, 0x1p-23F}};
  for (const auto& [x, rounded] : fp16) EXPECT_EQ(test::roundedToFp16(x), rounded) << x;
  EXPECT_TRUE(std::isnan(roundTrip(std::numeric_limits<float>::quiet_NaN())));
}

MPM_IN_EACH_PRECISION_OF_UNITS(KernelUnits);

// ---- The choice of kernels ------------------------------------------------------------------

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
