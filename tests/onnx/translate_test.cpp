// SPDX-License-Identifier: Apache-2.0
// Which layers a small ViT becomes.
#include "onnx/layers/translate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/small_vit.h"
#include "onnx/translate_case.h"

namespace mpm::test {
namespace {

// Blocks and a tail that a test makes of "block0".
ModelProto headless() {
  auto proto = emptyModel();
  addImage(proto);
  addBlock(proto, addEmbedding(proto), "block0");
  return proto;
}

// A block as PyTorch's attention without batch_first has it: rows first inside it, and what it
// gives scaled where rows are behind images again.
std::string addTurnedBlock(ModelProto& proto, const std::string& stream, const std::string& name) {
  addNorm(proto, stream, kVitDim, name + "_norm1");
  addTranspose(proto, name + "_norm1", {1, 0, 2}, name + "_in");
  const std::pair<const char*, Integers> factors[] = {
      {"_q", {1, 2, 0, 3}}, {"_k", {1, 2, 3, 0}}, {"_v", {1, 2, 0, 3}}};
  for (const auto& [factor, perm] : factors) {
    addLinear(proto, name + "_in", kVitDim, kVitDim, name + factor + "_rows");
    addReshape(proto, name + factor + "_rows", {kVitRows, -1, 2, 2}, name + factor + "_heads");
    addTranspose(proto, name + factor + "_heads", perm, name + factor);
  }
  addNode(proto, "MatMul", {name + "_q", name + "_k"}, {name + "_qk"});
  addNode(proto, "Softmax", {name + "_qk"}, {name + "_softmax"});
  addNode(proto, "MatMul", {name + "_softmax", name + "_v"}, {name + "_mixed"});
  addTranspose(proto, name + "_mixed", {2, 0, 1, 3}, name + "_turned");
  addReshape(proto, name + "_turned", {kVitRows, -1, kVitDim}, name + "_rows");
  addLinear(proto, name + "_rows", kVitDim, kVitDim, name + "_proj");
  addTranspose(proto, name + "_proj", {1, 0, 2}, name + "_out");
  addSome(proto, name + "_gamma", {kVitDim});
  addNode(proto, "Mul", {name + "_out", name + "_gamma"}, {name + "_scaled"});
  addNode(proto, "Add", {stream, name + "_scaled"}, {name + "_half"});
  return addMlpHalf(proto, name);
}

// Blocks over rows that stand on their grid, [B, 2, 3, D], and a norm, "y".
ModelProto onGrid() {
  ModelProto proto = patchesOnGrid("tokens");
  std::string stream = "tokens";
  for (const char* name : {"block0", "block1"}) {
    stream = addBlock(proto, stream, name, kVitPatches);
    for (auto& node : *proto.mutable_graph()->mutable_node()) {
      if (node.output(0) == stream + "_rows") node.set_input(1, "grid");
    }
  }
  addIntegers(proto, "grid", {-1, 2, 3, kVitDim});
  addNorm(proto, stream, kVitDim, "y");
  addOutput(proto, "y");
  return proto;
}

const std::string kEncoder = "PatchEmbed MutualPairMerge TransformerBlock ";

TEST(Translate, AnEncoder) {
  const Looked looked(smallVit(2));
  const onnx::Encoder encoder = onnx::translate(looked.facts(), {}).encoder;
  EXPECT_EQ(encoder.obstacle, "");
  EXPECT_EQ(encoder.blocks, 2);
  EXPECT_EQ(encoder.dim, kVitDim);
  EXPECT_EQ(encoder.heads, 2);
  EXPECT_EQ(encoder.special, 1);
  EXPECT_EQ(encoder.patch, 2);
  EXPECT_EQ(encoder.gridHeight, 2);
  EXPECT_EQ(encoder.gridWidth, 3);
  EXPECT_EQ(encoder.image, "image");
  EXPECT_EQ(encoder.head, "none");
  EXPECT_EQ(encoder.features, "y");  // its norm, with the class token
  EXPECT_TRUE(encoder.featureRows.isWhole());
}

TEST(Translate, RestoresBehindTheNormOrInFrontOfIt) {
  EXPECT_EQ(plannedFor(smallVit(1)), kEncoder + "Normalize MergeRestore Identity");
  EXPECT_EQ(plannedFor(smallVit(1), false), kEncoder + "MergeRestore Normalize Identity");
}

TEST(Translate, AScaleBehindTheSwapOfRowsAndImages) {
  auto proto = emptyModel();
  addImage(proto);
  addNorm(proto, addTurnedBlock(proto, addEmbedding(proto), "block0"), kVitDim, "y");
  addOutput(proto, "y");
  EXPECT_EQ(plannedFor(std::move(proto)), kEncoder + "Normalize MergeRestore Identity");
}

TEST(Translate, RowsOnTheirGridAreReshapedToItBehindTheEncoder) {
  EXPECT_EQ(plannedFor(onGrid()), kEncoder + kEncoder.substr(kEncoder.find(' ') + 1) +
                                      "Normalize MergeRestore Reshape Identity");
}

TEST(Translate, TheClassTokenNeedsNoRestore) {
  auto proto = headless();
  addSlice(proto, "block0", 1, 0, 1, "class");
  addReshape(proto, "class", {-1, kVitDim}, "row");
  addLinear(proto, "row", kVitDim, 5, "y");
  addOutput(proto, "y");
  EXPECT_EQ(plannedFor(std::move(proto)).find("Restore"), std::string::npos);
}

TEST(Translate, AMeanWeighsAndNeedsNoRestore) {
  for (const std::int64_t axis : {1, -2, 2}) {
    auto proto = headless();
    addSlice(proto, "block0", 1, 1, kMax, "patches");
    onnx::setAttribute(addNode(proto, "ReduceMean", {"patches"}, {"y"}), "axes", Integers{axis});
    addOutput(proto, "y");
    const std::string planned = plannedFor(std::move(proto));
    EXPECT_EQ(planned.find("MeanRows") != std::string::npos, axis != 2) << planned;
    EXPECT_EQ(planned.find("MergeRestore") == std::string::npos, axis != 2) << planned;
  }
}

// In the encoder merged rows get the mean of their tokens' positions. Behind it, what was restored
// would have them one by one.
TEST(Translate, ConstantRowsAreAddedToLiveRowsInTheEncoderAlone) {
  for (const bool isInside : {true, false}) {
    auto proto = headless();
    addSome(proto, "positions", {7, kVitDim});
    addNorm(proto, "block0", kVitDim, "norm");
    addNode(proto, "Add", {isInside ? "block0" : "norm", "positions"}, {"placed"});
    if (isInside) addBlock(proto, "placed", "block1");
    addOutput(proto, isInside ? "block1" : "placed");
    const std::string planned = plannedFor(std::move(proto));
    EXPECT_EQ(planned, isInside ? kEncoder +
                                      "AddRows MutualPairMerge TransformerBlock "
                                      "MergeRestore Identity"
                                : kEncoder + "Normalize MergeRestore");
  }
}

TEST(Translate, WhatLooksAtNeighboursGetsRestoredRows) {
  auto proto = headless();
  addTranspose(proto, "block0", {0, 2, 1}, "columns");
  addSome(proto, "kernel", {1, kVitDim, 3});
  addNode(proto, "Conv", {"columns", "kernel"}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(plannedFor(std::move(proto)), kEncoder + "MergeRestore");
}

TEST(Translate, TwoEncoders) {
  auto proto = smallVit(1);
  addOutput(proto, addBlock(proto, addEmbedding(proto, "others"), "other"));
  const Looked looked(std::move(proto));
  const onnx::Translation translation = onnx::translate(looked.facts(), {});
  EXPECT_EQ(translation.encoder.obstacle, "");
  ASSERT_EQ(translation.encoder.others.size(), 1U);
  EXPECT_NE(translation.encoder.others[0].stream, translation.encoder.stream);
  onnx::Plan plan = translation.plan;
  EXPECT_EQ(onnx::enableMerges(plan, {0}).size(), 2U);
}

TEST(Translate, AClassTokenBehindANormOfThePatches) {
  ModelProto proto = emptyModel();
  addImage(proto);
  addSome(proto, "weight", {kVitDim, 1, 2, 2});
  onnx::setAttribute(addNode(proto, "Conv", {"image", "weight"}, {"planes"}), "strides",
                     Integers{2, 2});
  addReshape(proto, "planes", {0, kVitDim, kVitPatches}, "columns");
  addTranspose(proto, "columns", {0, 2, 1}, "patches");
  addNorm(proto, "patches", kVitDim, "normed");
  auto row = someValues({kVitDim}, 0.5F), rows = row;
  rows.insert(rows.end(), row.begin(), row.end());
  addConstant(proto, "class", {2, 1, kVitDim}, rows);
  addConcat(proto, {"class", "normed"}, 1, "all");
  addSome(proto, "position", {1, kVitRows, kVitDim});
  addNode(proto, "Add", {"all", "position"}, {"tokens"});
  addNorm(proto, addBlock(proto, "tokens", "block0"), kVitDim, "y");
  addOutput(proto, "y");
  EXPECT_EQ(
      plannedFor(std::move(proto)),
      "PatchEmbed Normalize ReplaceSpecial AddRows MutualPairMerge TransformerBlock Normalize "
      "MergeRestore Identity");
}

}  // namespace
}  // namespace mpm::test
