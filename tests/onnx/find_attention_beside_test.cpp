// SPDX-License-Identifier: Apache-2.0
// What self-attention may have beside q, k and v: norms, numbers for each head, biases, a softmax
// of places, heads that are mixed.
#include "onnx/recognise/parts.h"

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

TEST(FindAttention, SaysWhatIsMadeOfItsSoftmax) {
  EXPECT_EQ(obstacle({.gate = "places"}), "attention weights that are more than one softmax")
      << "as ConViT has it";
  EXPECT_EQ(obstacle({.mixesHeads = true}),
            "attention weights that heads mix with each other's (talking heads)")
      << "as CaiT has it";
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
