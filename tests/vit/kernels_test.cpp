// SPDX-License-Identifier: Apache-2.0
// Products of the kernels against plain sums in double.
#include "vit/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/poisoned_rows.h"
#include "vit/product_case.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;
using test::PoisonedUnits;
using test::ProductCase;
using test::ProductShape;

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
                   << shape.outputs << ", seed " << test::kProductSeed);
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

// The same sums as rows of floats, rounded once, and zeros to the end of the last vector.
TEST_P(Multiply, GivesUnitRows) {
  const Gelu erf = Gelu::erf;
  forEachShape([&](ProductCase& given) {
    const std::size_t outputs = given.b.outputs(), columns = padded(outputs);
    for (const Gelu* gelu : {static_cast<const Gelu*>(nullptr), &erf}) {
      const OwnedRows expected = test::asOperands(unquantised(GetParam()), given.rows(gelu).view());
      PoisonedUnits out(given.a.count, given.kernel.units(columns));
      Finish finish;
      finish.bias = given.bias.data.data();
      finish.gelu = gelu;
      finish.unitRows = out.view().data;
      finish.stride = out.view().stride;
      given.kernel.multiply(given.product(), finish);
      out.expectPoisonUntouched();
      std::vector<float> floats(columns);
      for (std::size_t i = 0; i < expected.count; ++i) {
        given.kernel.toFloats(out.view().row(i), columns, floats.data());
        for (std::size_t j = 0; j < columns; ++j) {
          ASSERT_EQ(floats[j], j < outputs ? expected.view().row(i)[j] : 0)
              << "row " << i << ", column " << j;
        }
      }
    }
  });
}

// The same units, with a row for each and a column for each row.
TEST_P(Multiply, GivesTurnedUnitRows) {
  forEachShape([&](ProductCase& given) {
    const std::size_t units = given.kernel.units(padded(given.b.outputs()));
    PoisonedUnits rows(given.a.count, units), turned(units, given.a.count);
    Finish finish;
    finish.bias = given.bias.data.data();
    finish.unitRows = rows.view().data;
    finish.stride = rows.view().stride;
    given.kernel.multiply(given.product(), finish);
    finish.unitRows = nullptr;
    finish.turnedUnitRows = turned.view().data;
    finish.stride = turned.view().stride;
    given.kernel.multiply(given.product(), finish);
    turned.expectPoisonUntouched();
    for (std::size_t r = 0; r < given.a.count; ++r) {
      for (std::size_t u = 0; u < units; ++u) {
        ASSERT_EQ(std::memcmp(rows.view().row(r) + u, turned.view().row(u) + r, sizeof(Unit)), 0)
            << "unit " << u << " of row " << r;
      }
    }
  });
}

TEST_P(Multiply, GivesUnitColumns) {
  forEachShape([&](ProductCase& given) {
    const OwnedRows expected = test::asOperands(unquantised(GetParam()), given.rows().view());
    const std::size_t values = given.kernel.unitValues;
    PoisonedUnits out(given.kernel.units(given.a.count), padded(given.b.outputs()));
    Finish finish;
    finish.bias = given.bias.data.data();
    finish.unitColumns = out.view().data;
    finish.stride = out.view().stride;
    given.kernel.multiply(given.product(), finish);
    out.expectPoisonUntouched();
    for (std::size_t i = 0; i < out.view().count; ++i) {
      for (std::size_t j = 0; j < expected.dim; ++j) {
        float pair[2] = {};
        given.kernel.toFloats(out.view().row(i) + j, values, pair);
        for (std::size_t v = 0; v < values; ++v) {
          const std::size_t row = i * values + v;
          ASSERT_EQ(pair[v], row < expected.count ? expected.view().row(row)[j] : 0)
              << "row " << row << ", column " << j;
        }
      }
    }
  });
}

MPM_IN_EACH_PRECISION(Multiply);

}  // namespace
}  // namespace mpm::vit
