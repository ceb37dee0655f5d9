// SPDX-License-Identifier: Apache-2.0
#include "vit/mask_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tolerances.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

TEST(MaskHead, AgreesWithTheReference) {
  MaskHeadScratch scratch;  // shared: what an earlier call left must not matter
  for (const test::VitShape& shape : test::vitShapes()) {
    for (const std::size_t classes : {2, 19, 150}) {
      const std::uint32_t seed = 91;
      SCOPED_TRACE(testing::Message() << shape << ", classes " << classes << ", seed " << seed);
      if (shape.heads != 1) continue;
      test::RandomNetwork network(seed);
      const MaskHeadWeights weights = network.maskHead(shape.dim, classes);
      PoisonedRows x(test::normalRows(shape.rows, shape.dim, seed + 100));
      PoisonedRows c(test::normalRows(classes, shape.dim, seed + 101));
      OwnedRows expected(shape.rows, classes);
      PoisonedRows actual(shape.rows, classes);
      maskHeadReference(x.view(), c.view(), weights, expected.view());
      maskHeadCpu(x.view(), c.view(), weights, scratch, actual.view());
      // Over two classes the norm divides by half their difference, which may be small.
      test::expectNear(actual.view(), expected.view(),
                       classes > 2 ? test::kVitOperation : test::kVitNetwork);
      actual.expectPoisonUntouched();
    }
  }
}

TEST(MaskHead, AZeroRowIsSimilarToNoClass) {
  test::RandomNetwork network(92);
  const MaskHeadWeights weights = network.maskHead(24, 19);
  OwnedRows x = test::normalRows(3, 24, 93);
  const OwnedRows c = test::normalRows(19, 24, 94);
  std::fill_n(x.row(1), 24, 0.0F);
  OwnedRows expected(3, 19), actual(3, 19);
  MaskHeadScratch scratch;
  maskHeadReference(x.view(), c.view(), weights, expected.view());
  maskHeadCpu(x.view(), c.view(), weights, scratch, actual.view());
  for (std::size_t k = 0; k < 19; ++k) {
    EXPECT_EQ(expected.row(1)[k], weights.norm.shift[k]);
    EXPECT_EQ(actual.row(1)[k], weights.norm.shift[k]);
  }
  test::expectNear(actual.view(), expected.view(), test::kVitOperation);
}

}  // namespace
}  // namespace mpm::vit
