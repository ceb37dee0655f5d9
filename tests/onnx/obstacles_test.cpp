// SPDX-License-Identifier: Apache-2.0
// What keeps a model from becoming layers that merge.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/translate.h"
#include "onnx/small_vit.h"
#include "onnx/translate_case.h"

namespace mpm::test {
namespace {

TEST(Translate, AValueInsideABlockThatIsAnOutput) {
  const auto withOutput = [](const std::string& value) {
    auto proto = smallVit(2);
    addOutput(proto, value);
    return obstacleOf(std::move(proto));
  };
  EXPECT_EQ(
      withOutput("block0_softmax"),
      "block 0: node 'block0_softmax_node' ('Softmax') inside it is used outside of it as well");
  EXPECT_EQ(withOutput("block1_softmax"), "") << "the last one's, from restored rows";
  EXPECT_EQ(withOutput("block1_half"), "") << "its rows stand in a blob";
  EXPECT_EQ(withOutput("block1_gelu"), "");
}

TEST(Translate, AValueInsideABlockThatIsUsedElsewhere) {
  auto proto = smallVit(1);
  onnx::setAttribute(addNode(proto, "ReduceMax", {"block0_softmax"}, {"most"}), "axes",
                     Integers{1});
  EXPECT_EQ(obstacleOf(proto), "") << "nothing reads it";
  addOutput(proto, "most");
  const Looked looked(std::move(proto));
  const onnx::Translation translation = onnx::translate(looked.facts(), {});
  EXPECT_EQ(translation.encoder.obstacle.find("block 0: node 'block0_softmax_node'"), 0U);
  std::string types;
  for (const auto& added : translation.plan.nodes) types += added.node.op_type() + " ";
  EXPECT_NE(types.find("Attention "), std::string::npos) << "it is computed all the same";
  EXPECT_EQ(types.find("MutualPairMerge "), std::string::npos);
}

// Its tokens are made by a convolution of the picture, which is no reason.
TEST(Translate, AttentionThatComparesTokensWithoutLinearLayersIsRefusedAsThat) {
  auto proto = emptyModel();
  addImage(proto);
  addEmbedding(proto);
  addTranspose(proto, "tokens", {0, 2, 1}, "turned");
  addNode(proto, "MatMul", {"tokens", "turned"}, {"qk"});
  addNode(proto, "Softmax", {"qk"}, {"weights"});
  addLinear(proto, "tokens", kVitDim, kVitDim, "v");
  addNode(proto, "MatMul", {"weights", "v"}, {"mixed"});
  addLinear(proto, "mixed", kVitDim, kVitDim, "proj");
  addNode(proto, "Add", {"tokens", "proj"}, {"block0_half"});
  addNorm(proto, addMlpHalf(proto, "block0"), kVitDim, "y");
  addOutput(proto, "y");
  EXPECT_EQ(obstacleOf(std::move(proto)),
            "block 0: not supported: not made by a linear layer, at node 'tokens_node' ('Add')");
}

// q [B, 2, 7, 1, 2], as unsqueeze(-2) writes it. There are no windows.
TEST(Translate, AttentionOfOneRowAtATimeIsRefusedAsThat) {
  auto proto = smallVit(1);
  const auto nodeOf = [&](const std::string& output) {
    for (auto& node : *proto.mutable_graph()->mutable_node()) {
      if (node.output(0) == output) return &node;
    }
    return static_cast<onnx::Node*>(nullptr);
  };
  nodeOf("block0_qk")->set_input(0, "q");
  nodeOf("block0_qk")->set_input(1, "kt");
  nodeOf("block0_mixed")->set_input(1, "v");
  nodeOf("block0_mixed")->set_output(0, "by_row");
  addReshape(proto, "block0_q", {0, 2, kVitRows, 1, 2}, "q");
  addReshape(proto, "block0_kt", {0, 2, 1, 2, kVitRows}, "kt");
  addReshape(proto, "block0_v", {0, 2, 1, kVitRows, 2}, "v");
  addReshape(proto, "by_row", {0, 2, kVitRows, 2}, "block0_mixed");
  EXPECT_EQ(obstacleOf(std::move(proto)),
            "block 0: not supported: attention of one row at a time, at node "
            "'block0_softmax_node' ('Softmax')");
}

TEST(Translate, RowsInFrontOfAttentionMayBeOutputsToo) {
  auto proto = smallVit(2);
  for (const char* value : {"tokens", "block0", "block1_norm1"}) addOutput(proto, value);
  EXPECT_EQ(obstacleOf(std::move(proto)), "");
}

// The second of two blocks, spoiled in one place.
std::string obstacleOfSpoiled(const std::string& node, const std::string& type,
                              const Strings& inputs = {}, int blocks = 2) {
  auto proto = smallVit(blocks);
  for (auto& each : *proto.mutable_graph()->mutable_node()) {
    if (each.name() != node) continue;
    each.set_op_type(type);
    if (inputs.empty()) continue;
    each.clear_input();
    for (const std::string& input : inputs) each.add_input(input);
  }
  return obstacleOf(std::move(proto));
}

TEST(Translate, ABlockThatIsSomethingElse) {
  EXPECT_EQ(obstacleOfSpoiled("block1_half_node", "Add"), "") << "nothing is spoiled";
  EXPECT_EQ(obstacleOfSpoiled("block1_gelu_node", "Relu"), "") << "any function of rows";
  EXPECT_EQ(obstacleOfSpoiled("block0_gelu_node", "Relu"), "") << "any function of rows";
  EXPECT_EQ(obstacleOfSpoiled("block0_gelu_node", "Softmax"), "") << "of each row alone";
  EXPECT_EQ(obstacleOfSpoiled("block1_gelu_node", "Shrink"), "") << "behind the last attention";
  EXPECT_EQ(obstacleOfSpoiled("block0_gelu_node", "Shrink")
                .find("block 1: not supported: what comes before its attention"),
            0U);
  EXPECT_EQ(obstacleOfSpoiled("block1_scaled_node", "Add"),
            "block 1: not supported: an attention mask, or a bias of its similarities "
            "that is not known, at node 'block1_scaled_node' ('Add')");
  EXPECT_EQ(obstacleOfSpoiled("block1_half_node", "Add", {"block1_proj", "tokens"}), "")
      << "two attentions on one stream";
  EXPECT_EQ(obstacleOfSpoiled("block1_half_node", "Sub")
                .find("block 1: not supported: what comes before its attention"),
            0U);
}

// As CLIPSeg's decoder, which a text's features are multiplied into: it reads restored rows.
TEST(Translate, AttentionOfAnotherWidthBehindTheEncoderIsADecoders) {
  const auto obstacleOfDecoder = [](std::int64_t width, int blocks) {
    auto proto = smallVit(blocks);
    addInput(proto, "text", {-1, 1, width});
    addLinear(proto, "y", kVitDim, width, "reduced");
    addNode(proto, "Mul", {"reduced", "text"}, {"told"});
    for (const char* name : {"dq", "dk", "dv"}) addLinear(proto, "told", width, width, name);
    addTranspose(proto, "dk", {0, 2, 1}, "dkt");
    addNode(proto, "MatMul", {"dq", "dkt"}, {"dqk"});
    addNode(proto, "Softmax", {"dqk"}, {"weights"});
    addNode(proto, "MatMul", {"weights", "dv"}, {"z"});
    addOutput(proto, "z");
    return obstacleOf(std::move(proto));
  };
  EXPECT_EQ(obstacleOfDecoder(6, 1), "");
  EXPECT_EQ(
      obstacleOfDecoder(kVitDim, 1).find("block 1: not supported: what comes before its attention"),
      0U)
      << "it may be one more block";
  EXPECT_EQ(obstacleOfDecoder(kVitDim, 2), "") << "the last of several";
}

// The last block may be of any kind; of two that are, one is not the last.
TEST(Translate, ABlockOfAnotherKindBehindTwo) {
  const auto obstacleBehind = [](int others) {
    auto proto = smallVit(2);
    std::string stream = "y";
    for (int i = 0; i < others; ++i) {
      const std::string name = "other" + std::to_string(i);
      addTranspose(proto, stream, {0, 2, 1}, name + "_keys");
      addNode(proto, "MatMul", {stream, name + "_keys"}, {name + "_alike"});
      onnx::setAttribute(addNode(proto, "Softmax", {name + "_alike"}, {name + "_weights"}), "axis",
                         std::int64_t{-1});
      addNode(proto, "MatMul", {name + "_weights", stream}, {name + "_mixed"});
      addNode(proto, "Add", {name + "_mixed", stream}, {name});
      stream = name;
    }
    addOutput(proto, stream);
    return obstacleOf(std::move(proto));
  };
  EXPECT_EQ(obstacleBehind(1), "");
  EXPECT_EQ(obstacleBehind(2).find("block 2: not supported: "), 0U) << obstacleBehind(2);
}

TEST(Translate, ABlockBehindOneThatIsNotKnownDoesNotGetTheBlame) {
  EXPECT_EQ(obstacleOfSpoiled("block0_half_node", "Sub"),
            "block 0: not supported: its attention, or how it joins what it read, at node "
            "'block0_softmax_node' ('Softmax')");
}

// No sum joins it with what it read, so there is no half of a block at all.
TEST(Translate, OneAttentionWhoseResultIsNotAdded) {
  EXPECT_EQ(obstacleOfSpoiled("block0_half_node", "Sub", {}, 1),
            "block 0: not supported: its attention, or how it joins what it read, at node "
            "'block0_softmax_node' ('Softmax')");
}

// As programs do that show where a model looks.
TEST(Translate, AttentionWeightsThatAreAnOutput) {
  auto proto = smallVit(1);
  addLinear(proto, "y", kVitDim, kVitDim, "queries");
  addTranspose(proto, "y", {0, 2, 1}, "keys");
  addNode(proto, "MatMul", {"queries", "keys"}, {"similarities"});
  onnx::setAttribute(addNode(proto, "Softmax", {"similarities"}, {"weights"}), "axis",
                     std::int64_t{-1});
  addSlice(proto, "weights", 1, 0, 1, "looks");
  addOutput(proto, "looks");
  EXPECT_EQ(obstacleOf(std::move(proto))
                .find("not supported: attention weights that its outputs are made from, at "),
            0U);
}

TEST(Translate, NoEncoder) {
  auto none = emptyModel();
  addImage(none);
  addNode(none, "Relu", {"image"}, {"y"});
  addOutput(none, "y");
  EXPECT_EQ(obstacleOf(none), "it has no transformer block");

  auto ofRows = emptyModel();
  addInput(ofRows, "rows", {-1, kVitRows, kVitDim});
  addOutput(ofRows, addBlock(ofRows, "rows", "block0"));
  EXPECT_EQ(obstacleOf(std::move(ofRows)),
            "block 0: not supported: attention over other tokens than patches of an image, at node "
            "'block0_half_node' ('Add')");
}

// Shares of classes of each pixel, in a square picture, are no attention.
TEST(Translate, NoEncoderOfClassesOfPixels) {
  auto proto = emptyModel();
  addInput(proto, "image", {1, 3, 6, 6});
  addSome(proto, "weight", {5, 3, 1, 1});
  addNode(proto, "Conv", {"image", "weight"}, {"scores"});
  onnx::setAttribute(addNode(proto, "Softmax", {"scores"}, {"y"}), "axis", std::int64_t{1});
  addOutput(proto, "y");
  EXPECT_EQ(obstacleOf(std::move(proto)), "it has no transformer block");
}

// As SegGPT puts a painted example into its picture's batch.
TEST(Translate, NoEncoderOfSeveralPicturesInOneBatch) {
  auto proto = emptyModel();
  addImage(proto);
  const std::string tokens = addEmbedding(proto);
  addNode(proto, "Neg", {tokens}, {"others"});
  addConcat(proto, {tokens, "others"}, 0, "both");
  addNorm(proto, addBlock(proto, "both", "block0"), kVitDim, "y");
  addOutput(proto, "y");
  EXPECT_EQ(obstacleOf(std::move(proto)),
            "block 0: not supported: tokens of several pictures that share its batch, at node "
            "'block0_softmax_node' ('Softmax')");
}

// Tokens are of the picture, but what makes them is not known.
TEST(Translate, NoEncoderOfTokensThatAreNotRecognised) {
  auto proto = emptyModel();
  addImage(proto);
  addEmbedding(proto, "patches");
  addNode(proto, "Mul", {"patches", "patches"}, {"tokens"});
  addNorm(proto, addBlock(proto, "tokens", "block0"), kVitDim, "y");
  addOutput(proto, "y");
  EXPECT_EQ(obstacleOf(std::move(proto)),
            "block 0: not supported: tokens that are made of the picture in a way that is not "
            "known, at node 'block0_half_node' ('Add')");
}

// A softmax along features is none over keys.
TEST(Translate, NoEncoderOfAnotherAttention) {
  auto proto = emptyModel();
  addInput(proto, "rows", {-1, kVitRows, kVitDim});
  for (const char* name : {"q", "k", "v"}) addLinear(proto, "rows", kVitDim, 4, name);
  addNode(proto, "Softmax", {"q"}, {"shares"});
  addTranspose(proto, "k", {0, 2, 1}, "columns");
  addNode(proto, "MatMul", {"columns", "v"}, {"summary"});
  addNode(proto, "MatMul", {"shares", "summary"}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(obstacleOf(std::move(proto)), "it has no transformer block that is recognised");
}

}  // namespace
}  // namespace mpm::test
