// SPDX-License-Identifier: Apache-2.0
// Blocks that look at windows, and merges in front of them.
#include "onnx/recognise/windows.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/small_vit.h"
#include "onnx/translate_case.h"

namespace mpm::test {
namespace {

// Three windows of one column each, of which the blocks before "wide" look at one alone, that one
// at all, and those behind it at one again. "y" is a norm of their rows on the grid.
ModelProto inWindows(const std::vector<bool>& areWide) {
  ModelProto proto = patchesOnGrid("placed");
  addReshape(proto, "placed", {-1, 1, 2, 3, 1, kVitDim}, "apart");
  addTranspose(proto, "apart", {0, 1, 3, 2, 4, 5}, "dealt");
  addReshape(proto, "dealt", {-1, 2, kVitDim}, "tokens");
  std::string stream = "tokens";
  for (std::size_t i = 0; i < areWide.size(); ++i) {
    const std::string name = "block" + std::to_string(i);
    const std::int64_t rows = areWide[i] ? kVitPatches : kVitPatches / 3;
    addReshape(proto, stream, {-1, rows, kVitDim}, name + "_in");
    stream = addBlock(proto, name + "_in", name, rows);
  }
  addReshape(proto, stream, {-1, 3, 2, kVitDim}, "columns");
  addTranspose(proto, "columns", {0, 2, 1, 3}, "rows");
  addNorm(proto, "rows", kVitDim, "y");
  addOutput(proto, "y");
  return proto;
}

TEST(DealWindows, BlocksWithinWindowsAndMergesInFrontOfThem) {
  const Looked looked(inWindows({false, true, false, true}));
  const onnx::Translation translation = onnx::translate(looked.facts(), {});
  ASSERT_EQ(translation.encoder.obstacle, "");
  EXPECT_EQ(translation.encoder.blocks, 4);
  const std::vector<float> columns{0, 1, 2, 0, 1, 2};  // in the order of the grid
  int merges = 0, blocks = 0;
  for (const auto& added : translation.plan.nodes) {
    const std::string& type = added.node.op_type();
    const auto regions = weightOf(looked.model(), added, "regions");
    const auto windows = weightOf(looked.model(), added, "window_of");
    if (type == "MutualPairMerge") {
      EXPECT_EQ(regions, merges < 3 ? columns : std::vector<float>()) << "merge " << merges;
      ++merges;
    } else if (type == "TransformerBlock") {
      const bool isWide = blocks % 2 == 1;
      EXPECT_EQ(windows, isWide ? std::vector<float>() : columns) << "block " << blocks;
      EXPECT_EQ(onnx::intAttribute(added.node, "windows").value_or(0), isWide ? 0 : 3);
      ++blocks;
    }
  }
  EXPECT_EQ(merges, 4);
  EXPECT_EQ(blocks, 4);
}

TEST(DealWindows, NoMergeIsLimitedWhereNoBlockLooksAtWindows) {
  const Looked looked(inWindows({true}));
  const onnx::Translation translation = onnx::translate(looked.facts(), {});
  ASSERT_EQ(translation.encoder.obstacle, "");
  for (const auto& added : translation.plan.nodes)
    EXPECT_TRUE(weightOf(looked.model(), added, "regions").empty());
}

// They are those of the model's own grid.
TEST(DealWindows, WindowsKeepTheirGrid) {
  const Looked looked(inWindows({false}));
  EXPECT_EQ(onnx::translate(looked.facts(), {true, 2, 3}).encoder.obstacle, "");
  EXPECT_NE(onnx::translate(looked.facts(), {true, 4, 6}).encoder.obstacle, "");
}

// A class token in each window is a special row, which only a whole block knows by its window.
TEST(DealWindows, ClassTokensInWindowsNeedAPlainBlock) {
  for (const bool isPlain : {true, false}) {
    ModelProto proto = patchesOnGrid("placed");
    addReshape(proto, "placed", {-1, 1, 2, 3, 1, kVitDim}, "apart");
    addTranspose(proto, "apart", {0, 1, 3, 2, 4, 5}, "dealt");
    addReshape(proto, "dealt", {-1, 2, kVitDim}, "windows");
    addConstant(proto, "class", {6, 1, kVitDim}, std::vector<float>(6 * kVitDim, 0.5F));
    addConcat(proto, {"class", "windows"}, 1, "tokens");
    addNorm(proto, addBlock(proto, "tokens", "block0", 3), kVitDim, "y");
    addOutput(proto, "y");
    for (auto& node : *proto.mutable_graph()->mutable_node()) {
      if (!isPlain && node.name() == "block0_gelu_node") node.set_op_type("Relu");
    }
    EXPECT_EQ(obstacleOf(std::move(proto)),
              isPlain ? ""
                      : "not supported: class tokens in windows, in a block that is none of a "
                        "plain ViT's");
  }
}

// A block that looks at three windows of two rows each, made anew; with special rows it could not.
std::string addBlockOfWindows(ModelProto& proto, const std::string& stream,
                              const std::string& name) {
  addNorm(proto, stream, kVitDim, name + "_norm1");
  addReshape(proto, name + "_norm1", {-1, 2, kVitDim}, name + "_windows");
  for (const std::string part : {"_q", "_k", "_v"}) {
    addLinear(proto, name + "_windows", kVitDim, kVitDim, name + part + "_rows");
    addReshape(proto, name + part + "_rows", {-1, 2, 2, 2}, name + part + "_heads");
    addTranspose(proto, name + part + "_heads",
                 part == "_k" ? Integers{0, 2, 3, 1} : Integers{0, 2, 1, 3}, name + part);
  }
  addNode(proto, "MatMul", {name + "_q", name + "_k"}, {name + "_qk"});
  addNode(proto, "Softmax", {name + "_qk"}, {name + "_softmax"});
  addNode(proto, "MatMul", {name + "_softmax", name + "_v"}, {name + "_mixed"});
  addTranspose(proto, name + "_mixed", {0, 2, 1, 3}, name + "_turned");
  addReshape(proto, name + "_turned", {-1, 2, kVitDim}, name + "_rows");
  addLinear(proto, name + "_rows", kVitDim, kVitDim, name + "_proj");
  addReshape(proto, name + "_proj", {-1, 3, 2, kVitDim}, name + "_apart");
  addTranspose(proto, name + "_apart", {0, 2, 1, 3}, name + "_mingled");  // as a grid's are
  addReshape(proto, name + "_mingled", {-1, kVitPatches, kVitDim}, name + "_back");
  addNode(proto, "Add", {stream, name + "_back"}, {name + "_half"});
  return addMlpHalf(proto, name);
}

TEST(DealWindows, WindowsThatABlockMakesAnew) {
  ModelProto proto = patchesOnGrid("placed");
  addReshape(proto, "placed", {-1, kVitPatches, kVitDim}, "tokens");
  addBlock(proto, "tokens", "block0", kVitPatches);
  addNorm(proto, addBlockOfWindows(proto, "block0", "block1"), kVitDim, "y");
  addOutput(proto, "y");
  EXPECT_EQ(obstacleOf(std::move(proto)),
            "block 1: not supported: attention within windows, at node 'block1_softmax_node' "
            "('Softmax')");
}

}  // namespace
}  // namespace mpm::test
