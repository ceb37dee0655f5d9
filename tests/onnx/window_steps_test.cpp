// SPDX-License-Identifier: Apache-2.0
// Blocks that deal their rows out to windows anew, and attention that adds what depends on
// distances: SAM's and ViTDet's.
#include "onnx/layers/row_steps.h"

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

constexpr std::int64_t kGridDim = kVitDim, kGridHeads = 2, kGridWidth = kGridDim / kGridHeads;

// A block on a grid of 2 x 3; what may be different about it.
struct GridBlock {
  std::int64_t window = 2;  // its windows are squares of that; 0: it looks at all rows
  bool hasDistances = true;
  bool areAddedOneByOne = false;          // to q k, as ViTDet does; else together, as SAM
  const char* across = "bhwc,wkc->bhwk";  // with `down`, where it is that
  std::string queries = "q";              // what distances are made from
  float factor = 1;                       // of these
  float padding = 0;
  Integers pads = {0, 0, 0, 0, 0, 0, 1, 0};
  Integers deal = {0, 1, 3, 2, 4, 5}, putBack = {0, 1, 3, 2, 4, 5};
  std::int64_t cutFrom = 0;
  bool isAnyTable = false;  // whose vectors depend on more than distances
};

// [places, places, d] by distance.
std::vector<float> tableByDistance(std::int64_t places, bool isAny) {
  std::vector<float> table;
  for (std::int64_t query = 0; query < places; ++query) {
    for (std::int64_t key = 0; key < places; ++key) {
      for (std::int64_t i = 0; i < kGridWidth; ++i) {
        const std::int64_t at = isAny ? query : query - key;
        table.push_back(0.5F * static_cast<float>(at) + 0.1F * static_cast<float>(i));
      }
    }
  }
  return table;
}

class GridBlockBuilder {
 public:
  GridBlockBuilder(ModelProto& proto, const GridBlock& block, std::string name)
      : proto_(proto), block_(block), name_(std::move(name)) {}

  std::string build(const std::string& stream) {
    addNorm(proto_, stream, kGridDim, at("norm1"));
    std::string rows = at("norm1");
    if (block_.window > 0) rows = dealt(rows);
    rows = attended(rows);
    addLinear(proto_, rows, kGridDim, kGridDim, at("proj"));
    rows = at("proj");
    if (block_.window > 0) rows = putBack(rows);
    addNode(proto_, "Add", {stream, rows}, {at("half")});
    return addMlpHalf(proto_, name_);
  }

 private:
  std::string at(const std::string& part) const { return name_ + "_" + part; }
  std::int64_t gridHeight() const { return 2 + block_.pads[5]; }
  std::int64_t gridWidth() const { return 3 + block_.pads[6]; }
  std::int64_t down() const { return gridHeight() / block_.window; }
  std::int64_t across() const { return gridWidth() / block_.window; }
  std::int64_t height() const { return block_.window > 0 ? block_.window : 2; }
  std::int64_t width() const { return block_.window > 0 ? block_.window : 3; }
  std::int64_t rows() const { return height() * width(); }

  std::string dealt(const std::string& from) {
    addIntegers(proto_, at("pads"), block_.pads);
    addNumber(proto_, at("padding"), block_.padding);
    addNode(proto_, "Pad", {from, at("pads"), at("padding")}, {at("padded")});
    addReshape(proto_, at("padded"), {-1, down(), height(), across(), width(), kGridDim},
               at("apart"));
    addTranspose(proto_, at("apart"), block_.deal, at("dealt"));
    addReshape(proto_, at("dealt"), {-1, height(), width(), kGridDim}, at("windows"));
    return at("windows");
  }

  std::string putBack(const std::string& from) {
    addReshape(proto_, from, {-1, down(), across(), height(), width(), kGridDim}, at("beside"));
    addTranspose(proto_, at("beside"), block_.putBack, at("mingled"));
    addReshape(proto_, at("mingled"), {-1, gridHeight(), gridWidth(), kGridDim}, at("back"));
    addSlice(proto_, at("back"), 1, 0, 2, at("high"));
    addSlice(proto_, at("high"), 2, block_.cutFrom, block_.cutFrom + 3, at("cut"));
    return at("cut");
  }

  void head(const std::string& from, const std::string& part) {
    addLinear(proto_, from, kGridDim, kGridDim, at(part + "_rows"));
    addReshape(proto_, at(part + "_rows"), {-1, rows(), kGridHeads, kGridWidth},
               at(part + "_heads"));
    addTranspose(proto_, at(part + "_heads"), {0, 2, 1, 3}, at(part + "_by_head"));
    addReshape(proto_, at(part + "_by_head"), {-1, rows(), kGridWidth}, at(part));
  }

  std::string attended(const std::string& from) {
    for (const char* part : {"q", "k", "v"}) head(from, part);
    addTranspose(proto_, at("k"), {0, 2, 1}, at("kt"));
    addNumber(proto_, at("scale"), 0.7F);
    addNode(proto_, "Mul", {at("q"), at("scale")}, {at("scaled")});
    addNode(proto_, "MatMul", {at("scaled"), at("kt")}, {at("qk")});
    addNode(proto_, "Softmax", {block_.hasDistances ? withDistances() : at("qk")}, {at("softmax")});
    addNode(proto_, "MatMul", {at("softmax"), at("v")}, {at("mixed")});
    addReshape(proto_, at("mixed"), {-1, kGridHeads, rows(), kGridWidth}, at("mixed_heads"));
    addTranspose(proto_, at("mixed_heads"), {0, 2, 1, 3}, at("turned"));
    addReshape(proto_, at("turned"), {-1, height(), width(), kGridDim}, at("attended"));
    return at("attended");
  }

  std::string distances(const std::string& way, std::int64_t places, const char* equation,
                        const Integers& dims) {
    addConstant(proto_, at(way + "_table"), {places, places, kGridWidth},
                tableByDistance(places, block_.isAnyTable));
    auto& node = addNode(proto_, "Einsum", {at("q_grid"), at(way + "_table")}, {at(way + "_of_q")});
    onnx::setAttribute(node, "equation", std::string(equation));
    addReshape(proto_, at(way + "_of_q"), dims, at(way));
    return at(way);
  }

  std::string withDistances() {
    std::string queries = at(block_.queries);
    if (block_.factor != 1) {
      addNumber(proto_, at("factor"), block_.factor);
      addNode(proto_, "Mul", {queries, at("factor")}, {at("other_queries")});
      queries = at("other_queries");
    }
    addReshape(proto_, queries, {-1, height(), width(), kGridWidth}, at("q_grid"));
    const std::string ofRows =
        distances("down", height(), "bhwc,hkc->bhwk", {-1, height(), width(), height(), 1});
    const std::string ofColumns =
        distances("across", width(), block_.across, {-1, height(), width(), 1, width()});
    const Integers grid{-1, height(), width(), height(), width()}, flat{-1, rows(), rows()};
    if (block_.areAddedOneByOne) {
      addReshape(proto_, at("qk"), grid, at("qk_grid"));
      addNode(proto_, "Add", {at("qk_grid"), ofRows}, {at("first")});
      addNode(proto_, "Add", {at("first"), ofColumns}, {at("both")});
      addReshape(proto_, at("both"), flat, at("similarity"));
      return at("similarity");
    }
    addNode(proto_, "Add", {ofRows, ofColumns}, {at("both")});
    addReshape(proto_, at("both"), flat, at("bias"));
    addNode(proto_, "Add", {at("qk"), at("bias")}, {at("similarity")});
    return at("similarity");
  }

  ModelProto& proto_;
  const GridBlock& block_;
  std::string name_;
};

// "y" is a norm of the rows on the grid.
ModelProto modelOfGridBlocks(const std::vector<GridBlock>& blocks) {
  ModelProto proto = patchesOnGrid("tokens");
  std::string stream = "tokens";
  for (std::size_t i = 0; i < blocks.size(); ++i)
    stream = GridBlockBuilder(proto, blocks[i], "block" + std::to_string(i)).build(stream);
  addNorm(proto, stream, kGridDim, "y");
  addOutput(proto, "y");
  return proto;
}

GridBlock overAll(bool hasDistances = true) {
  GridBlock block;
  block.window = 0;
  block.hasDistances = hasDistances;
  return block;
}

// A plan's nodes of a type, in order.
std::vector<const onnx::Plan::NewNode*> plannedOf(const onnx::Translation& made,
                                                  const std::string& type) {
  std::vector<const onnx::Plan::NewNode*> nodes;
  for (const auto& added : made.plan.nodes) {
    if (added.node.op_type() == type) nodes.push_back(&added);
  }
  return nodes;
}

TEST(WindowSteps, BlocksOfWindowsOverTheEdgeAndMergesInFrontOfThem) {
  const Looked looked(modelOfGridBlocks({overAll(), GridBlock(), overAll(), overAll()}));
  const onnx::Translation made = onnx::translate(looked.facts(), {});
  ASSERT_EQ(made.encoder.obstacle, "");
  EXPECT_EQ(made.encoder.blocks, 4);
  const auto attentions = plannedOf(made, "Attention");
  ASSERT_EQ(attentions.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const onnx::Node& node = attentions[i]->node;
    EXPECT_EQ(onnx::intsAttribute(node, "grid"), (Integers{2, 3})) << i;
    EXPECT_EQ(onnx::intsAttribute(node, "window").value_or(Integers()),
              i == 1 ? (Integers{2, 2}) : Integers())
        << i;
    // q, k and v of zeros: the biases of their linear layers
    const auto bias = someValues({kGridDim});
    std::vector<float> outside;
    for (int part = 0; part < 3; ++part) outside.insert(outside.end(), bias.begin(), bias.end());
    EXPECT_EQ(weightOf(looked.model(), *attentions[i], "outside"),
              i == 1 ? outside : std::vector<float>())
        << i;
  }
  EXPECT_EQ(weightOf(looked.model(), *attentions[1], "distance_down"),
            (std::vector<float>{-0.5F, -0.4F, 0, 0.1F, 0.5F, 0.6F}));
  EXPECT_EQ(weightOf(looked.model(), *attentions[0], "distance_across").size(), 5U * kGridWidth);
  const auto merges = plannedOf(made, "MutualPairMerge");
  ASSERT_EQ(merges.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(weightOf(looked.model(), *merges[i], "regions"),
              i < 2 ? (std::vector<float>{0, 0, 1, 0, 0, 1}) : std::vector<float>())
        << i;
  }
}

TEST(WindowSteps, DistancesThatAreAddedOneByOne) {
  GridBlock block;
  block.areAddedOneByOne = true;
  block.factor = 2;
  const Looked looked(modelOfGridBlocks({block}));
  const onnx::Translation made = onnx::translate(looked.facts(), {});
  ASSERT_EQ(made.encoder.obstacle, "");
  EXPECT_EQ(weightOf(looked.model(), *plannedOf(made, "Attention").at(0), "distance_across"),
            (std::vector<float>{-1, -0.8F, 0, 0.2F, 1, 1.2F}));
}

TEST(WindowSteps, WindowsWithoutDistancesBesideAPlainBlock) {
  GridBlock block;
  block.hasDistances = false;
  const Looked looked(modelOfGridBlocks({block, overAll(false)}));
  const onnx::Translation made = onnx::translate(looked.facts(), {});
  ASSERT_EQ(made.encoder.obstacle, "");
  EXPECT_EQ(made.encoder.blocks, 2);
  EXPECT_EQ(plannedOf(made, "Attention").size(), 1U);
  EXPECT_EQ(plannedOf(made, "TransformerBlock").size(), 1U);
}

TEST(WindowSteps, OneWindowThatReachesOverTheGrid) {
  GridBlock block;
  block.window = 4;
  block.pads = {0, 0, 0, 0, 0, 2, 1, 0};
  const Looked looked(modelOfGridBlocks({block}));
  const onnx::Translation made = onnx::translate(looked.facts(), {});
  ASSERT_EQ(made.encoder.obstacle, "");
  const onnx::Plan::NewNode& attention = *plannedOf(made, "Attention").at(0);
  EXPECT_EQ(onnx::intsAttribute(attention.node, "window"), (Integers{4, 4}));
  EXPECT_EQ(weightOf(looked.model(), attention, "outside").size(), 3U * kGridDim);
  const onnx::Plan::NewNode& merge = *plannedOf(made, "MutualPairMerge").at(0);
  EXPECT_TRUE(weightOf(looked.model(), merge, "regions").empty());
  EXPECT_TRUE(onnx::hasZerosAdded(looked.facts(), "block0_dealt"));
  EXPECT_FALSE(onnx::hasZerosAdded(looked.facts(), "block0_apart"));
}

// A map [B, D, H, W] between two blocks, which is an output too.
TEST(WindowSteps, AMapThatIsTurnedAndTurnedBack) {
  ModelProto proto = patchesOnGrid("tokens");
  const GridBlock block;
  const std::string first = GridBlockBuilder(proto, block, "block0").build("tokens");
  addTranspose(proto, first, {0, 3, 1, 2}, "map");
  addOutput(proto, "map");
  addTranspose(proto, "map", {0, 2, 3, 1}, "grid");
  addNorm(proto, GridBlockBuilder(proto, block, "block1").build("grid"), kGridDim, "y");
  addOutput(proto, "y");
  const Looked looked(std::move(proto));
  const onnx::Translation made = onnx::translate(looked.facts(), {});
  EXPECT_EQ(made.encoder.obstacle, "");
  EXPECT_EQ(made.encoder.blocks, 2);
}

// As ViTDet and ViTMatte have them: what is behind it is an encoder of its own.
TEST(WindowSteps, AConvolutionBetweenBlocks) {
  ModelProto proto = patchesOnGrid("tokens");
  const GridBlock block;
  addTranspose(proto, GridBlockBuilder(proto, block, "block0").build("tokens"), {0, 3, 1, 2},
               "map");
  addSome(proto, "kernel", {kGridDim, kGridDim, 1, 1});
  addNode(proto, "Conv", {"map", "kernel"}, {"convolved"});
  addNode(proto, "Add", {"map", "convolved"}, {"sum"});
  addTranspose(proto, "sum", {0, 2, 3, 1}, "grid");
  addNorm(proto, GridBlockBuilder(proto, block, "block1").build("grid"), kGridDim, "y");
  addOutput(proto, "y");
  const Looked looked(std::move(proto));
  const onnx::Translation made = onnx::translate(looked.facts(), {});
  EXPECT_EQ(made.encoder.obstacle, "");
  EXPECT_EQ(made.encoder.blocks, 1);
  EXPECT_EQ(made.encoder.others.size(), 1U);
}

TEST(WindowSteps, NearMisses) {
  const auto spoiled = [](const auto& spoil) {
    GridBlock block;
    spoil(block);
    return obstacleOf(modelOfGridBlocks({block}));
  };
  EXPECT_NE(spoiled([](GridBlock& block) { block.padding = 1; }), "");
  EXPECT_NE(spoiled([](GridBlock& block) { block.pads = {0, 0, 1, 0, 0, 0, 0, 0}; }), "");
  EXPECT_NE(spoiled([](GridBlock& block) { block.deal = {0, 1, 3, 4, 2, 5}; }), "");
  EXPECT_NE(spoiled([](GridBlock& block) { block.putBack = {0, 1, 3, 4, 2, 5}; }), "");
  EXPECT_NE(spoiled([](GridBlock& block) { block.cutFrom = 1; }), "");
  EXPECT_NE(spoiled([](GridBlock& block) { block.across = "bhwc,hkc->bhwk"; }), "");
  EXPECT_NE(spoiled([](GridBlock& block) { block.queries = "k"; }), "");
  EXPECT_NE(spoiled([](GridBlock& block) { block.isAnyTable = true; }), "");
}

// They are those of the model's own grid.
TEST(WindowSteps, WindowsAndDistancesKeepTheirGrid) {
  const auto obstacleAt = [](const std::vector<GridBlock>& blocks, std::int64_t height,
                             std::int64_t width) {
    const Looked looked(modelOfGridBlocks(blocks));
    return onnx::translate(looked.facts(), {true, height, width}).encoder.obstacle;
  };
  EXPECT_EQ(obstacleAt({GridBlock()}, 2, 3), "");
  EXPECT_EQ(obstacleAt({GridBlock()}, 4, 6),
            "its blocks attend within windows, which are for its own size alone; please export it "
            "at that size");
  EXPECT_EQ(obstacleAt({overAll()}, 4, 6),
            "its attention adds what depends on distances, which are for its own size alone; "
            "please export it at that size");
}

// Merges could pair within windows of both sizes alone, which none knows to.
TEST(WindowSteps, WindowsOfTwoSizes) {
  GridBlock narrow;
  narrow.window = 1;
  narrow.hasDistances = false;
  EXPECT_EQ(obstacleOf(modelOfGridBlocks({narrow})), "");
  EXPECT_NE(obstacleOf(modelOfGridBlocks({GridBlock(), narrow})), "");
}

}  // namespace
}  // namespace mpm::test
