// SPDX-License-Identifier: Apache-2.0
#include "vit/gemm.h"

#include <gtest/gtest.h>

#include "tolerances.h"
#include "vit/gemm_tasks.h"
#include "vit/poisoned_rows.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

OwnedRows product(ConstRows a, ConstRows b) {
  OwnedRows out(a.count, b.dim);
  for (std::size_t i = 0; i < a.count; ++i) {
    for (std::size_t j = 0; j < b.dim; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.dim; ++k) {
        sum += static_cast<double>(a.row(i)[k]) * b.row(k)[j];
      }
      out.row(i)[j] = static_cast<float>(sum);
    }
  }
  return out;
}

OwnedRows transposed(ConstRows rows) {
  OwnedRows out(rows.dim, rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t k = 0; k < rows.dim; ++k) out.row(k)[i] = rows.row(i)[k];
  }
  return out;
}

TEST(Gemm, BothLayoutsGiveTheProduct) {
  for (const std::size_t n : {1, 2, 15, 16, 17, 129}) {
    for (const std::size_t m : {1, 3, 16, 33, 385}) {
      for (const std::size_t k : {1, 7, 16, 64}) {
        SCOPED_TRACE(testing::Message() << n << " x " << k << " by " << k << " x " << m);
        PoisonedRows a(test::normalRows(n, k, 41)), b(test::normalRows(k, m, 42));
        PoisonedRows bT(transposed(b.view())), out(n, m), outT(n, m), tiled(n, m);
        const OwnedRows expected = product(a.view(), b.view());
        multiply(a.view(), b.view(), out.view());
        multiplyTransposed(a.view(), bT.view(), outT.view());
        multiplyInTiles(a.view(), b.view(), Layout::inByOut, tiled.view(),
                        [](Rows, std::size_t, std::size_t) {});
        for (PoisonedRows* actual : {&out, &outT, &tiled}) {
          test::expectNear(actual->view(), expected.view(), test::kVitOperation);
          actual->expectPoisonUntouched();
        }
      }
    }
  }
}

}  // namespace
}  // namespace mpm::vit
