// SPDX-License-Identifier: Apache-2.0
// Sums in parts, and columns in parts, as a block's hidden features take them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/poisoned_rows.h"
#include "vit/product_case.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;
using test::ProductCase;

class MultiplyParts : public test::InPrecision {};

TEST_P(MultiplyParts, OfColumnsGiveTheSameBits) {
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

TEST_P(MultiplyParts, OfTheSumAddUp) {
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

MPM_IN_EACH_PRECISION(MultiplyParts);

}  // namespace
}  // namespace mpm::vit
