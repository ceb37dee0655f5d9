// SPDX-License-Identifier: Apache-2.0
// What self-attention may have beside q, k and v: norms, numbers for each head, biases, a softmax
// of places, heads that are mixed.
#include "onnx/find.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "onnx/attention_case.h"

namespace mpm::test::attention {
namespace {

using onnx::FoundAttention;

TEST(FindAttention, ABiasOfTheSimilarities) {
  const auto finding = find({.scaleProduct = 0.5F, .mask = -1.0F});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_EQ(finding.found->bias, "mask");
  EXPECT_EQ(finding.found->biasScale, 1);
  EXPECT_EQ(finding.found->scale, 0.5F);
  EXPECT_FALSE(finding.found->isPlain());
  const std::string masked = "an attention mask, or a bias of its similarities that is not known";
  EXPECT_EQ(obstacle({.mask = -std::numeric_limits<float>::infinity()}), masked);
  EXPECT_EQ(obstacle({.mask = std::numeric_limits<float>::lowest()}), masked);
}

// As PyTorch's newer exporter writes BEiT's, with a mask of truths that became ones.
TEST(FindAttention, ABiasToAllOfWhichOneNumberIsAdded) {
  const auto finding = find({.mask = -2.0F, .addsOneToMask = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_EQ(finding.found->bias, "mask");
}

TEST(FindAttention, NormsOfEachHead) {
  for (const bool rankThree : {false, true}) {
    const auto finding =
        find({.rankThree = rankThree, .normalisesQueries = true, .normalisesKeys = true});
    ASSERT_TRUE(finding.found) << finding.obstacle;
    EXPECT_TRUE(finding.found->q.norm && finding.found->k.norm);
    EXPECT_EQ(finding.found->q.features, (Integers{0, 1, 2, 3, 4, 5}));
    EXPECT_FALSE(finding.found->isPlain());
  }
  EXPECT_EQ(obstacle({.scaleQ = 2, .normalisesQueries = true, .normalisesKeys = true}),
            "normalised q, k or v")
      << "a norm undoes a scale in front";
}

// As InternViT of 6 billion weights has it, and others from q, k and v side by side.
TEST(FindAttention, NormsOfAllHeadsTogether) {
  for (const Layout layout : {Layout::separate, Layout::sliced}) {
    const auto finding = find({.layout = layout, .normalisesTogether = true});
    ASSERT_TRUE(finding.found) << finding.obstacle;
    const onnx::FoundProjection& k = finding.found->k;
    EXPECT_TRUE(finding.found->q.norm && k.norm);
    EXPECT_EQ(k.joint, (Integers{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(k.features.front(), layout == Layout::sliced ? 6 : 0);
    EXPECT_EQ(k.linear.input, "x");
    EXPECT_FALSE(finding.found->isPlain());
  }
  EXPECT_EQ(
      obstacle({.layout = Layout::separate, .normalisesQueries = true, .normalisesTogether = true}),
      "normalised q, k or v")
      << "one norm behind another";
}

// As CogView and LayoutLMv3 keep half precision from overflowing.
TEST(FindAttention, SimilaritiesLessTheLargestOfEachRow) {
  const auto finding = find({.scaleProduct = 0.5F, .takesLargestOff = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_FLOAT_EQ(finding.found->scale, 0.5F);
  EXPECT_TRUE(finding.found->isPlain());
}

// As ConViT has it.
TEST(FindAttention, ASoftmaxOfPlacesBesideThatOfScores) {
  const auto finding = find({.gate = "places"});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  const FoundAttention& found = *finding.found;
  ASSERT_EQ(found.shares.size(), 4U);
  const float expected[] = {0.6F, 0.5F, 0.4F, 0.5F};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.shares[i], expected[i], 1e-5);
  ASSERT_EQ(found.places->size(), static_cast<std::size_t>(kHeads * kRows * kRows));
  EXPECT_FLOAT_EQ((*found.places)[3] - (*found.places)[0], std::log(4.0F));
  EXPECT_FALSE(found.isPlain());
  const auto far = find({.gate = "far"});
  ASSERT_TRUE(far.found) << "a place without a weight: " << far.obstacle;
  EXPECT_LT((*far.found->places)[0], -80);
  EXPECT_EQ(obstacle({.gate = "uneven"}), "attention weights that are more than one softmax")
      << "rows of different sums have no share";
}

// As CaiT has it.
TEST(FindAttention, HeadsThatMixTheirScoresAndWeights) {
  const auto finding = find({.mixesScores = true, .mixesHeads = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  const FoundAttention& found = *finding.found;
  const std::vector<float> inByOut = someValues({kHeads, kHeads});
  const std::vector<float> turned{inByOut[0], inByOut[2], inByOut[1], inByOut[3]};
  EXPECT_EQ(found.mixScores, turned);
  EXPECT_EQ(found.mixWeights, turned);
  EXPECT_EQ(found.mixBias, someValues({kHeads}));
  EXPECT_FALSE(found.isPlain());
  EXPECT_EQ(obstacle({.mask = 1.0F, .mixesScores = true}),
            "an attention mask, or a bias of its similarities that is not known")
      << "a bias in front of a mix";
  EXPECT_EQ(obstacle({.mixesHeads = true, .mixesByConvolution = true}),
            "attention weights that heads mix with each other's (talking heads)");
}

TEST(FindAttention, SaysThatHeadsAreGated) {
  EXPECT_EQ(obstacle({.gatesHeads = true}),
            "its result is multiplied with a gate before heads are joined");
}

// As SimpleViT with normalised q and k, and as the second Swin, have it.
TEST(FindAttention, RowsOfLengthOneThatAreScaledByHead) {
  const auto finding = find({.areUnits = true, .scalesQueries = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_TRUE(finding.found->q.norm && !finding.found->q.norm->isCentred);
  EXPECT_TRUE(finding.found->k.norm && finding.found->k.scale.empty());
  EXPECT_EQ(finding.found->q.scale, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_FLOAT_EQ(finding.found->scale, 1.0F / kWidth) << "an RMSNorm's rows are longer";
  const auto scores = find({.scaleProduct = 2, .scalesByHead = true, .areUnits = true});
  ASSERT_TRUE(scores.found) << scores.obstacle;
  EXPECT_EQ(scores.found->q.scale, (std::vector<float>{2, 2, 2, 3, 3, 3}));
  EXPECT_FLOAT_EQ(scores.found->scale, 2.0F / kWidth);
}

// As ONNX Runtime moves transpositions.
TEST(FindAttention, RowsOfLengthOneWhoseLengthsAreTurnedByThemselves) {
  const Case right{.layout = Layout::separate, .areUnits = true, .lengthPerm = {0, 2, 1, 3}};
  const auto finding = find(right);
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_TRUE(finding.found->q.norm && finding.found->k.norm);
  Case wrong = right;
  wrong.lengthPerm = {0, 1, 2, 3};
  EXPECT_FALSE(find(wrong).found);
}

// As x-transformers has it, which normalises in groups, usually one.
TEST(FindAttention, RowsOfLengthOneInOneGroup) {
  const auto finding = find({.areUnits = true, .areGrouped = true, .scalesQueries = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_TRUE(finding.found->q.norm && finding.found->k.norm);
  EXPECT_EQ(finding.found->q.features, (Integers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(finding.found->q.scale, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

// As tutorials have temperatures, gains and biases of heads: they are those of the linear layer.
TEST(FindAttention, NumbersOfHeadsThatAreNotNormalised) {
  const auto scores = find({.scaleProduct = 2, .scalesByHead = true});
  ASSERT_TRUE(scores.found) << scores.obstacle;
  EXPECT_EQ(scores.found->q.scale, (std::vector<float>{2, 2, 2, 3, 3, 3}));
  EXPECT_FLOAT_EQ(scores.found->scale, 2);
  EXPECT_TRUE(scores.found->isPlain());
  const auto queries =
      find({.scaleQ = 8, .scalesByHead = true, .scalesQueries = true, .shiftsQueries = true});
  ASSERT_TRUE(queries.found) << queries.obstacle;
  EXPECT_EQ(queries.found->q.scale, (std::vector<float>{16, 32, 48, 96, 120, 144}))
      << "a factor in front of what is added is one of q alone";
  EXPECT_EQ(queries.found->q.shift, (std::vector<float>{20, 20, 20, 60, 60, 60}));
  EXPECT_FLOAT_EQ(queries.found->scale, 0.5F);
  EXPECT_TRUE(queries.found->k.scale.empty() && queries.found->v.scale.empty());
}

TEST(FindAttention, NumbersOfValues) {
  const auto finding = find({.scaleV = 2, .scalesValues = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_EQ(finding.found->v.scale, (std::vector<float>{4, 6, 8, 4, 6, 8}));
  EXPECT_FLOAT_EQ(finding.found->scale, 1);
}

TEST(FindAttention, WhatIsAddedBehindANormIsNotTaken) {
  EXPECT_EQ(obstacle({.normalisesQueries = true, .normalisesKeys = true}), "found");
  EXPECT_EQ(obstacle({.areUnits = true, .shiftsQueries = true}), "normalised q, k or v");
}

}  // namespace
}  // namespace mpm::test::attention
