// SPDX-License-Identifier: Apache-2.0
// Operations whose products are of bfloat16. Where all that is rounded are the operands, the
// reference gets them rounded, and the tolerance is that of float32.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

constexpr Precision kBf16 = Precision::bf16;

class Bf16 : public testing::Test {
 protected:
  void SetUp() override {
    if (!hasBf16()) GTEST_SKIP() << "this processor has no bfloat16 products";
  }
};

TEST_F(Bf16, LinearLayers) {
  for (const std::size_t rows : {1, 2, 15, 48, 49, 197}) {
    for (const auto& [in, out] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 24}, {17, 385}, {64, 16}, {192, 192}, {3072, 24}}) {
      const std::uint32_t seed = 141;
      SCOPED_TRACE(testing::Message()
                   << rows << " rows, " << in << " to " << out << ", seed " << seed);
      test::RandomNetwork network(seed);
      const LinearWeights weights = network.linear(in, out);
      PoisonedRows x(test::normalRows(rows, in, seed + 100)), actual(rows, out);
      linearCpu(x.view(), weights, actual.view(), kBf16);
      OwnedRows expected(rows, out);
      linearReference(test::asOperands(kBf16, x.view()).view(),
                      {test::asOperands(kBf16, weights.weight).view(), weights.bias},
                      expected.view());
      test::expectNear(actual.view(), expected.view(), test::kVitOperation);
      actual.expectPoisonUntouched();
    }
  }
}

struct Size {
  std::size_t channels, height, width, patch, dim, special;
};

TEST_F(Bf16, PatchEmbeddings) {
  for (const Size& size : {Size{3, 16, 48, 16, 24, 1}, Size{3, 98, 56, 14, 192, 5},
                           Size{1, 64, 64, 2, 16, 1}, Size{3, 35, 50, 16, 24, 0}}) {
    const std::uint32_t seed = 142;
    SCOPED_TRACE(testing::Message() << size.height << " x " << size.width << ", patch "
                                    << size.patch << ", dim " << size.dim << ", seed " << seed);
    test::RandomNetwork network(seed);
    const ConstRows pixels = network.matrix(size.channels * size.height, size.width, 0, 1);
    const OwnedRows roundedPixels = test::asOperands(kBf16, pixels);
    const Image image{pixels.data, size.channels, size.height, size.width};
    const std::size_t count = patchCount(image, size.patch);
    PatchEmbedWeights weights;
    weights.patch = size.patch;
    weights.projection = network.linear(size.channels * size.patch * size.patch, size.dim);
    weights.special = network.matrix(size.special, size.dim, 0, 1);
    weights.position = network.matrix(count, size.dim, 0, 1);
    PoisonedRows actual(size.special + count, size.dim);
    patchEmbedCpu(image, weights, actual.view(), kBf16);
    const OwnedRows matrix = test::asOperands(kBf16, weights.projection.weight);
    weights.projection.weight = matrix.view();
    OwnedRows expected(size.special + count, size.dim);
    patchEmbedReference({roundedPixels.data.data(), size.channels, size.height, size.width},
                        weights, expected.view());
    test::expectNear(actual.view(), expected.view(), test::kVitOperation);
    actual.expectPoisonUntouched();
  }
}

TEST_F(Bf16, TransformerBlocks) {
  BlockScratch scratch;
  int kind = 0;
  for (const test::VitShape& shape : test::vitShapes()) {
    const std::uint32_t seed = 143;
    kind = (kind + 1) % 3;
    SCOPED_TRACE(testing::Message() << shape << ", gelu " << kind << ", seed " << seed);
    test::RandomNetwork network(seed);
    const BlockWeights weights =
        network.block(shape.dim, shape.heads, static_cast<Gelu>(kind), shape.rows == 17);
    const float* keyWeights = kind == 0 ? network.vector(shape.rows, 0, 1) : nullptr;
    OwnedRows expected = test::normalRows(shape.rows, shape.dim, seed + 100);
    PoisonedRows actual(expected);
    transformerBlockReference(expected.view(), weights, keyWeights);
    transformerBlockCpu(actual.view(), weights, keyWeights, scratch, kBf16);
    test::expectNear(actual.view(), expected.view(), test::kBf16Block);
    actual.expectPoisonUntouched();
  }
}

TEST_F(Bf16, MaskHeads) {
  MaskHeadScratch scratch;
  for (const test::VitShape& shape : test::vitShapes()) {
    for (const std::size_t classes : {19, 150}) {
      const std::uint32_t seed = 144;
      SCOPED_TRACE(testing::Message() << shape << ", classes " << classes << ", seed " << seed);
      if (shape.heads != 1) continue;
      test::RandomNetwork network(seed);
      const MaskHeadWeights weights = network.maskHead(shape.dim, classes);
      PoisonedRows x(test::normalRows(shape.rows, shape.dim, seed + 100));
      PoisonedRows c(test::normalRows(classes, shape.dim, seed + 101));
      OwnedRows expected(shape.rows, classes);
      PoisonedRows actual(shape.rows, classes);
      maskHeadReference(x.view(), c.view(), weights, expected.view());
      maskHeadCpu(x.view(), c.view(), weights, scratch, actual.view(), kBf16);
      test::expectNear(actual.view(), expected.view(), test::kBf16MaskHead);
      actual.expectPoisonUntouched();
    }
  }
}

// A row that is projected to zero stays zero, as in float32.
TEST_F(Bf16, AMaskHeadsZeroRowIsSimilarToNoClass) {
  test::RandomNetwork network(145);
  const MaskHeadWeights weights = network.maskHead(24, 19);
  const OwnedRows x(3, 24), c = test::normalRows(19, 24, 146);
  OwnedRows masks(3, 19);
  MaskHeadScratch scratch;
  maskHeadCpu(x.view(), c.view(), weights, scratch, masks.view(), kBf16);
  for (std::size_t k = 0; k < 19; ++k) EXPECT_EQ(masks.row(1)[k], weights.norm.shift[k]);
}

// The tests above would pass on float32 too: it is bfloat16 that computes.
TEST_F(Bf16, IsNotFloat32) {
  test::RandomNetwork network(147);
  const LinearWeights weights = network.linear(192, 24);
  const OwnedRows x = test::normalRows(9, 192, 148);
  OwnedRows fp32(9, 24), bf16(9, 24);
  linearCpu(x.view(), weights, fp32.view());
  linearCpu(x.view(), weights, bf16.view(), kBf16);
  double largest = 0;
  for (std::size_t i = 0; i < fp32.data.size(); ++i) {
    largest = std::max<double>(largest, std::abs(fp32.data[i] - bf16.data[i]));
  }
  EXPECT_GT(largest, 1e-4);
  EXPECT_LT(largest, 0.05);
}

}  // namespace
}  // namespace mpm::vit
