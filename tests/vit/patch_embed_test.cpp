// SPDX-License-Identifier: Apache-2.0
#include "vit/patch_embed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tolerances.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

struct Size {
  std::size_t channels, height, width, patch, dim, special;
};

void expectAgreement(const Size& size, bool bare) {
  const std::uint32_t seed = 81;
  SCOPED_TRACE(testing::Message() << size.channels << " x " << size.height << " x " << size.width
                                  << ", patch " << size.patch << ", dim " << size.dim
                                  << ", special " << size.special << (bare ? ", bare" : "")
                                  << ", seed " << seed);
  test::RandomNetwork network(seed);
  const ConstRows pixels = network.matrix(size.channels * size.height, size.width, 0, 1);
  const Image image{pixels.data, size.channels, size.height, size.width};
  const std::size_t count = patchCount(image, size.patch);
  PatchEmbedWeights weights;
  weights.patch = size.patch;
  weights.projection = network.linear(size.channels * size.patch * size.patch, size.dim);
  weights.special = network.matrix(size.special, size.dim, 0, 1);
  weights.position = network.matrix(count, size.dim, 0, 1);
  if (bare) {
    weights.projection.bias = nullptr;
    weights.position = {};
  }
  OwnedRows expected(size.special + count, size.dim);
  PoisonedRows actual(size.special + count, size.dim);
  patchEmbedReference(image, weights, expected.view());
  patchEmbedCpu(image, weights, actual.view());
  test::expectNear(actual.view(), expected.view(), test::kVitOperation);
  actual.expectPoisonUntouched();
}

TEST(PatchEmbed, AgreesWithTheReference) {
  for (const bool bare : {false, true}) {
    expectAgreement({3, 16, 16, 16, 16, 0}, bare);
    expectAgreement({3, 16, 48, 16, 24, 1}, bare);
    expectAgreement({3, 112, 112, 8, 64, 1}, bare);  // 196 patches
    expectAgreement({3, 98, 56, 14, 192, 5}, bare);
    expectAgreement({1, 64, 64, 2, 16, 1}, bare);  // 1024 patches
    expectAgreement({4, 21, 13, 1, 24, 2}, bare);
  }
}

TEST(PatchEmbed, PixelsBesideWholePatchesAreLeftOut) {
  expectAgreement({3, 35, 50, 16, 24, 1}, false);
  expectAgreement({3, 15, 50, 16, 24, 2}, true);  // no patch at all
}

TEST(PatchEmbed, SpecialRowsAreCopiedToTheBit) {
  const OwnedRows pixels = test::normalRows(24, 8, 82), special = test::normalRows(2, 16, 83);
  const OwnedRows matrix = test::normalRows(16, 3 * 64, 84);
  PatchEmbedWeights weights;
  weights.patch = 8;
  weights.projection.weight = matrix.view();
  weights.special = special.view();
  OwnedRows out(3, 16);
  patchEmbedCpu({pixels.data.data(), 3, 8, 8}, weights, out.view());
  EXPECT_TRUE(std::equal(special.data.begin(), special.data.end(), out.data.begin()));
}

TEST(PatchEmbed, OnlyWantedPatchesAreComputedAndNoneIsNone) {
  test::RandomNetwork network(85);
  const ConstRows pixels = network.matrix(3 * 32, 48, 0, 1);
  const Image image{pixels.data, 3, 32, 48};
  PatchEmbedWeights weights;
  weights.patch = 8;
  weights.projection = network.linear(3 * 64, 16);
  weights.special = network.matrix(2, 16, 0, 1);
  weights.position = network.matrix(24, 16, 0, 1);
  const PackedPatchEmbed embed{
      weights.patch, {weights.projection, Precision::fp32}, weights.position, weights.special};
  OwnedRows all(26, 16);
  patchEmbedCpu(image, embed, all.view());
  for (const std::vector<std::int32_t>& wanted :
       {std::vector<std::int32_t>{}, std::vector<std::int32_t>{23},
        std::vector<std::int32_t>{0, 5, 6, 17}}) {
    PoisonedRows some(2 + wanted.size(), 16);
    patchEmbedCpu(image, embed, some.view(), &wanted);
    some.expectPoisonUntouched();
    for (std::size_t row = 0; row < 2 + wanted.size(); ++row) {
      const std::size_t from = row < 2 ? row : 2 + static_cast<std::size_t>(wanted[row - 2]);
      const float* expected = all.view().row(from);
      EXPECT_TRUE(std::equal(expected, expected + 16, some.view().row(row))) << row;
    }
  }
}

}  // namespace
}  // namespace mpm::vit
