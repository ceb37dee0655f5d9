// SPDX-License-Identifier: Apache-2.0
// Every operation of a network in each precision against its reference. Where all that is rounded
// are the operands, the reference gets them rounded, and the tolerance is that of the sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

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

class Operations : public test::InPrecision {
 protected:
  OwnedRows held(ConstRows rows) const { return test::asOperands(GetParam(), rows); }
};

// ---- Linear layers --------------------------------------------------------------------------

class Linear : public Operations {
 protected:
  void expectAgreement(std::size_t rows, std::size_t in, std::size_t out) const {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << in << " to " << out << ", seed 31");
    test::RandomNetwork network(31);
    LinearWeights weights = network.linear(in, out);
    PoisonedRows x(test::normalRows(rows, in, 131));
    const OwnedRows heldX = held(x.view()), heldWeight = held(weights.weight);
    for (const float* bias : {weights.bias, static_cast<const float*>(nullptr)}) {
      weights.bias = bias;
      OwnedRows expected(rows, out);
      PoisonedRows actual(rows, out);
      linearReference(heldX.view(), {heldWeight.view(), bias}, expected.view());
      linearCpu(x.view(), weights, actual.view(), GetParam());
      test::expectNear(actual.view(), expected.view(), sums());
      actual.expectPoisonUntouched();
    }
  }
};

TEST_P(Linear, AgreesWithTheReference) {
  if (isFp32()) {
    for (const test::VitShape& shape : test::vitShapes()) {
      if (shape.heads == 1) expectAgreement(shape.rows, shape.dim, shape.dim);
    }
  }
  for (const std::size_t rows : {1, 2, 7, 8, 9, 15, 48, 49, 197}) {
    for (const auto& [in, out] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 24}, {17, 385}, {64, 16}, {192, 192}, {3072, 24}}) {
      expectAgreement(rows, in, out);
    }
  }
  for (const std::size_t rows : {1, 127, 128, 129}) {  // 384 features are a tile
    for (const std::size_t out : {1, 383, 384, 385, 769}) expectAgreement(rows, 17, out);
  }
  expectAgreement(101, 2500, 40);
  OwnedRows weight(24, 16);  // no rows are no work
  linearCpu({nullptr, 0, 16}, {weight.view(), nullptr}, {nullptr, 0, 24}, GetParam());
}

TEST_P(Linear, ReadsWeightsWithGapsAndInEitherLayout) {
  PoisonedRows weight(test::normalRows(21, 33, 35)), turned(33, 21);
  const OwnedRows x = test::normalRows(5, 33, 36);
  for (std::size_t j = 0; j < 21; ++j) {
    for (std::size_t k = 0; k < 33; ++k) turned.view().row(k)[j] = weight.view().row(j)[k];
  }
  OwnedRows expected(5, 21), one(5, 21), other(5, 21);
  linearReference(held(x.view()).view(), {held(weight.view()).view(), nullptr}, expected.view());
  PackedLinear linear;
  linear.matrix.pack(weight.view(), Layout::outByIn, GetParam());
  linearCpu(x.view(), linear, one.view());
  test::expectNear(one.view(), expected.view(), sums());
  const OwnedRows large = test::normalRows(65, 48, 45);  // packed anew it forgets what it was
  linear.matrix.pack(large.view(), Layout::outByIn, GetParam());
  linear.matrix.pack(turned.view(), Layout::inByOut, GetParam());
  linearCpu(x.view(), linear, other.view());
  EXPECT_EQ(other.data, one.data);
}

// The others would pass in float32 too: it is the precision that computes.
TEST_P(Linear, IsNotFloat32) {
  if (isFp32()) GTEST_SKIP() << "it is";
  test::RandomNetwork network(147);
  const LinearWeights weights = network.linear(192, 24);
  const OwnedRows x = test::normalRows(9, 192, 148);
  OwnedRows fp32(9, 24), other(9, 24);
  linearCpu(x.view(), weights, fp32.view());
  linearCpu(x.view(), weights, other.view(), GetParam());
  double largest = 0;
  for (std::size_t i = 0; i < fp32.data.size(); ++i)
    largest = std::max<double>(largest, std::abs(fp32.data[i] - other.data[i]));
  EXPECT_GT(largest, isFp16() ? 1e-5 : isBf16() ? 1e-4 : 1e-3);
  EXPECT_LT(largest, isFp16() ? 2e-2 : isBf16() ? 0.05 : 0.1);
}

MPM_IN_EACH_PRECISION(Linear);

// ---- GELU, with which products end ----------------------------------------------------------

// As the contract has it, of max(1, |x|).
void expectGelus(Gelu kind, const OwnedRows& x) {
  OwnedRows expected = x;
  PoisonedRows actual(x);
  geluReference(kind, expected.view());
  geluCpu(kind, actual.view());
  actual.expectPoisonUntouched();
  for (std::size_t i = 0; i < x.count; ++i) {
    for (std::size_t k = 0; k < x.dim; ++k) {
      const float from = x.view().row(i)[k], got = actual.view().row(i)[k];
      const double error = std::abs(static_cast<double>(got) - expected.row(i)[k]);
      ASSERT_TRUE(error <= test::kVitGelu * std::max(1.0F, std::abs(from)))
          << "of " << from << ": " << got << " instead of " << expected.row(i)[k];
    }
  }
}

TEST(GeluOf, AgreesWithTheReferenceOnShapesAndAllAlongTheAxis) {
  OwnedRows axis(1, 40001);
  for (std::size_t k = 0; k < axis.dim; ++k) {
    axis.data[k] = (static_cast<float>(k) - 20000) * 1e-3F;  // -20 to 20
  }
  for (const Gelu kind : kGelus) {
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", seed 51");
    expectGelus(kind, axis);
    for (const test::VitShape& shape : test::vitShapes())
      expectGelus(kind, test::normalRows(shape.rows, shape.dim, 51));
  }
}

// To the bit where it is compared with x; else to what the reciprocal of 1 is rounded to, which
// differs between processors.
TEST(GeluOf, FarOutItIsZeroOrTheIdentityAndNanStaysNan) {
  for (const Gelu kind : kGelus) {
    for (const auto gelu : {geluReference, geluCpu}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind));
      for (const float far : {50.0F, 1e4F, 1e20F, 3e38F}) {
        const double rounding = kind == Gelu::erf ? 0 : test::kVitGelu;
        OwnedRows rows(2, 17, far);
        for (std::size_t k = 0; k < 17; ++k) rows.row(1)[k] = -far;
        gelu(kind, rows.view());
        for (const std::size_t k : {0, 16}) {
          EXPECT_NEAR(rows.row(0)[k] / far, 1, rounding);
          EXPECT_NEAR(rows.row(1)[k] / far, 0, 1e-30);
        }
      }
      OwnedRows nans(1, 19, std::numeric_limits<float>::quiet_NaN());
      gelu(kind, nans.view());
      for (const float x : nans.data) EXPECT_TRUE(std::isnan(x));
    }
  }
}

// ---- Patch embeddings -----------------------------------------------------------------------

struct EmbedCase {
  std::size_t channels, height, width, patch, dim, special;
};

const EmbedCase kEmbeds[] = {{3, 16, 16, 16, 16, 0},  {3, 16, 48, 16, 24, 1},
                             {3, 112, 112, 8, 64, 1},                          // 196 patches
                             {3, 98, 56, 14, 192, 5}, {1, 64, 64, 2, 16, 1},   // 1024 patches
                             {4, 21, 13, 1, 24, 2},   {3, 35, 50, 16, 24, 0},  // pixels beside
                             {3, 15, 50, 16, 24, 2}};                          // no patch at all

class PatchEmbed : public Operations {};

TEST_P(PatchEmbed, AgreesWithTheReference) {
  for (const EmbedCase& each : kEmbeds) {
    for (const bool bare : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << each.channels << " x " << each.height << " x " << each.width << ", patch "
                   << each.patch << ", dim " << each.dim << ", special " << each.special
                   << (bare ? ", bare" : "") << ", seed 81");
      test::RandomNetwork network(81);
      const ConstRows pixels = network.matrix(each.channels * each.height, each.width, 0, 1);
      const OwnedRows heldPixels = held(pixels);
      const Image image{pixels.data, each.channels, each.height, each.width};
      const std::size_t count = patchCount(image, each.patch);
      PatchEmbedWeights weights;
      weights.patch = each.patch;
      weights.projection = network.linear(each.channels * each.patch * each.patch, each.dim);
      weights.special = network.matrix(each.special, each.dim, 0, 1);
      weights.position = network.matrix(count, each.dim, 0, 1);
      if (bare) {
        weights.projection.bias = nullptr;
        weights.position = {};
      }
      PoisonedRows actual(each.special + count, each.dim);
      patchEmbedCpu(image, weights, actual.view(), GetParam());
      const OwnedRows matrix = held(weights.projection.weight);
      weights.projection.weight = matrix.view();
      OwnedRows expected(each.special + count, each.dim);
      patchEmbedReference({heldPixels.data.data(), each.channels, each.height, each.width}, weights,
                          expected.view());
      test::expectNear(actual.view(), expected.view(), sums());
      for (std::size_t i = 0; i < each.special; ++i) {  // to the bit
        EXPECT_TRUE(std::equal(weights.special.row(i), weights.special.row(i) + each.dim,
                               actual.view().row(i)));
      }
      actual.expectPoisonUntouched();
    }
  }
}

TEST_P(PatchEmbed, OnlyWantedPatchesAreComputedAndNoneIsNone) {
  test::RandomNetwork network(85);
  const ConstRows pixels = network.matrix(3 * 32, 48, 0, 1);
  const Image image{pixels.data, 3, 32, 48};
  const PackedPatchEmbed embed{8,
                               {network.linear(3 * 64, 16), GetParam()},
                               network.matrix(24, 16, 0, 1),
                               network.matrix(2, 16, 0, 1)};
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

INSTANTIATE_TEST_SUITE_P(, PatchEmbed, testing::Values(Precision::fp32, Precision::bf16),
                         test::nameOfPrecision);

// ---- Transformer blocks ---------------------------------------------------------------------

class TransformerBlock : public Operations {
 protected:
  void expectAgreement(const BlockWeights& weights, std::size_t rows, std::size_t dim,
                       const float* keyWeights = nullptr) {
    const double tolerance = isFp32()   ? test::kVitNetwork
                             : isBf16() ? test::kBf16Block
                             : isFp16() ? test::kFp16Block
                                        : test::kInt8Block;
    OwnedRows expected = test::normalRows(rows, dim, 171);
    PoisonedRows in(expected), inPlace(expected), apart(rows, dim);
    transformerBlockReference(expected.view(), weights, keyWeights);
    transformerBlockCpu(inPlace.view(), weights, keyWeights, scratch, GetParam());
    test::expectNear(inPlace.view(), expected.view(), tolerance);
    transformerBlockCpu(in.view(), PackedBlock(weights, GetParam()), keyWeights, scratch,
                        apart.view());
    test::expectNear(apart.view(), inPlace.view(), 0);
    test::expectNear(in.view(), test::normalRows(rows, dim, 171).view(), 0);  // only read
    inPlace.expectPoisonUntouched();
    apart.expectPoisonUntouched();
  }

  BlockScratch scratch;  // shared: what an earlier call left must not matter
};

TEST_P(TransformerBlock, AgreesWithTheReferenceInPlaceOrNot) {
  int kind = 0;
  for (const test::VitShape& shape : test::vitShapes()) {
    kind = (kind + 1) % 3;
    SCOPED_TRACE(testing::Message() << shape << ", gelu " << kind << ", seed 71");
    test::RandomNetwork network(71);
    const BlockWeights weights =
        network.block(shape.dim, shape.heads, static_cast<Gelu>(kind), shape.rows == 17);
    expectAgreement(weights, shape.rows, shape.dim,
                    kind == 0 ? network.vector(shape.rows, 0, 1) : nullptr);
  }
}

TEST_P(TransformerBlock, WeightsAreOptionalAndAttentionMayBeNarrowerThanTheRows) {
  test::RandomNetwork network(74);
  expectAgreement(network.block(24, 3, Gelu::erf, /*bare=*/true), 33, 24);
  BlockWeights narrow = network.block(24, 2, Gelu::tanh);
  narrow.qkv = network.linear(24, 3 * 10);
  narrow.proj = network.linear(10, 24);
  expectAgreement(narrow, 33, 24);
  transformerBlockCpu({nullptr, 0, 24}, narrow, nullptr, scratch, GetParam());  // no rows
}

MPM_IN_EACH_PRECISION(TransformerBlock);

// ---- Mask heads -----------------------------------------------------------------------------

class MaskHead : public Operations {
 protected:
  MaskHeadScratch scratch;  // shared: what an earlier call left must not matter
};

TEST_P(MaskHead, AgreesWithTheReference) {
  for (const test::VitShape& shape : test::vitShapes()) {
    for (const std::size_t classes : {2, 19, 150}) {
      if (shape.heads != 1 || (classes == 2 && !isFp32())) continue;
      SCOPED_TRACE(testing::Message() << shape << ", classes " << classes << ", seed 91");
      test::RandomNetwork network(91);
      const MaskHeadWeights weights = network.maskHead(shape.dim, classes);
      PoisonedRows x(test::normalRows(shape.rows, shape.dim, 191));
      PoisonedRows c(test::normalRows(classes, shape.dim, 192)), actual(shape.rows, classes);
      OwnedRows expected(shape.rows, classes);
      maskHeadReference(x.view(), c.view(), weights, expected.view());
      maskHeadCpu(x.view(), c.view(), weights, scratch, actual.view(), GetParam());
      // Over two classes the norm divides by half their difference, which may be small.
      test::expectNear(actual.view(), expected.view(),
                       isBf16()       ? test::kBf16MaskHead
                       : classes == 2 ? test::kVitNetwork
                                      : test::kVitOperation);
      actual.expectPoisonUntouched();
    }
  }
}

// A row that is projected to zero stays zero.
TEST_P(MaskHead, AZeroRowIsSimilarToNoClass) {
  test::RandomNetwork network(92);
  const MaskHeadWeights weights = network.maskHead(24, 19);
  OwnedRows x = test::normalRows(3, 24, 93), expected(3, 19), actual(3, 19);
  const OwnedRows c = test::normalRows(19, 24, 94);
  std::fill_n(x.row(1), 24, 0.0F);
  maskHeadReference(x.view(), c.view(), weights, expected.view());
  maskHeadCpu(x.view(), c.view(), weights, scratch, actual.view(), GetParam());
  for (std::size_t k = 0; k < 19; ++k) {
    EXPECT_EQ(expected.row(1)[k], weights.norm.shift[k]);
    EXPECT_EQ(actual.row(1)[k], weights.norm.shift[k]);
  }
}

INSTANTIATE_TEST_SUITE_P(, MaskHead, testing::Values(Precision::fp32, Precision::bf16),
                         test::nameOfPrecision);

// ---- Norms ----------------------------------------------------------------------------------

void expectNormalized(ConstRows in, const NormWeights& weights) {
  OwnedRows expected(in.count, in.dim);
  PoisonedRows actual(in.count, in.dim);
  normalizeReference(in, weights, expected.view());
  normalizeCpu(in, weights, actual.view());
  test::expectNear(actual.view(), expected.view(), test::kVitOperation);
  actual.expectPoisonUntouched();
}

TEST(Normalize, AgreesWithTheReference) {
  for (const test::VitShape& shape : test::vitShapes()) {
    SCOPED_TRACE(testing::Message() << shape << ", seed 21");
    test::RandomNetwork network(21);
    const NormWeights weights = network.norm(shape.dim);
    PoisonedRows in(test::normalRows(shape.rows, shape.dim, 121));
    for (const int given : {0, 1, 2, 3, 4, 7}) {
      expectNormalized(in.view(), {given & 1 ? weights.scale : nullptr,
                                   given & 2 ? weights.shift : nullptr, weights.eps, given < 4});
    }
  }
  OwnedRows large = test::normalRows(5, 64, 24);  // a large offset and a large scale
  for (float& x : large.data) x = x * 1e20F;
  large.row(1)[7] = 1e30F;
  for (std::size_t k = 0; k < 64; ++k) large.row(2)[k] = 1e6F + static_cast<float>(k % 3);
  expectNormalized(large.view(), {});
}

// Features, scale and shift come again every kPeriod places, so the result does.
TEST(Normalize, AValueDoesNotDependOnItsPlaceInTheRow) {
  constexpr std::size_t kPeriod = 5;
  for (const std::size_t dim : {6, 7, 9, 13, 17, 19, 31, 66, 197}) {
    const OwnedRows given = test::normalRows(3, kPeriod, static_cast<std::uint32_t>(dim));
    OwnedRows all(3, dim);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < dim; ++k) all.row(i)[k] = given.view().row(i)[k % kPeriod];
    }
    for (const int weights : {0, 1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << dim << " features, weights " << weights);
      OwnedRows out(1, dim);
      normalizeCpu({all.row(0), 1, dim},
                   {(weights & 1) != 0 ? all.row(1) : nullptr,
                    (weights & 2) != 0 ? all.row(2) : nullptr, 1e-6F},
                   out.view());
      for (std::size_t k = 0; k < dim; ++k) EXPECT_EQ(out.data[k], out.data[k % kPeriod]) << k;
    }
    makeUnit(all.row(0), dim);
    for (std::size_t k = 0; k < dim; ++k) EXPECT_EQ(all.data[k], all.data[k % kPeriod]) << k;
  }
}

TEST(Normalize, WithoutAMeanItIsTheRootMeanSquareThatBecomesOne) {
  const std::vector<float> in{3, 3, 3, 3, 1, -7, 1, 7};
  std::vector<float> out(8);
  normalizeCpu({in.data(), 2, 4}, {nullptr, nullptr, 0, false}, {out.data(), 2, 4});
  EXPECT_EQ(out, (std::vector<float>{1, 1, 1, 1, 0.2F, -1.4F, 0.2F, 1.4F}));
}

TEST(Normalize, WorksInPlaceAndGivesTheShiftOfEqualFeaturesToTheBit) {
  for (const auto normalize : {normalizeReference, normalizeCpu}) {
    OwnedRows rows = test::normalRows(17, 24, 22), apart(17, 24);
    normalize(rows.view(), {}, apart.view());
    normalize(rows.view(), {}, rows.view());
    EXPECT_EQ(rows.data, apart.data);
    for (const std::size_t dim : {1, 16, 24, 193}) {
      for (const float value : {0.0F, 0.1F, -12345.678F, 3e30F}) {
        SCOPED_TRACE(testing::Message() << dim << " features of " << value);
        test::RandomNetwork network(23);
        const NormWeights weights = network.norm(dim);
        OwnedRows out(3, dim);
        normalize(OwnedRows(3, dim, value).view(), weights, out.view());
        for (std::size_t i = 0; i < 3 * dim; ++i) EXPECT_EQ(out.data[i], weights.shift[i % dim]);
      }
    }
  }
}

}  // namespace
}  // namespace mpm::vit
