// SPDX-License-Identifier: Apache-2.0
// What rows are cut out of, and in which order they are.
#include "onnx/recognise/embedding.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "onnx/embedding_case.h"

namespace mpm::test {
namespace {

TEST(Embedding, Patches) {
  for (const bool rowsFirst : {false, true}) {
    const auto found = embeddingOf(patches(rowsFirst), "p");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->image, "image");
    EXPECT_EQ(found->weight, "weight");
    EXPECT_EQ(found->bias, "bias");
    EXPECT_EQ(found->patch, kPatch);
    EXPECT_EQ(found->gridHeight, 2);
    EXPECT_EQ(found->gridWidth, 3);
    EXPECT_EQ(found->dim, kDim);
    EXPECT_EQ(found->batch, 2);
    EXPECT_EQ(found->rowsFirst, rowsFirst);
    EXPECT_EQ(segmentsOf(found), "i6");
    EXPECT_TRUE(found->imageSegment().values.empty());
  }
}

TEST(Embedding, PatchesThatOverlapAreThePlanesOfTheirConvolution) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 1, 4, 6});
  addSome(proto, "weight", {kDim, 1, 2, 2});
  addNode(proto, "Conv", {"image", "weight"}, {"grid"});  // in steps of one: 3 x 5
  addReshape(proto, "grid", {0, kDim, 15}, "columns");
  addTranspose(proto, "columns", {0, 2, 1}, "p");
  const auto found = embeddingOf(proto, "p");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image, "grid");
  EXPECT_EQ(found->weight, "");
  EXPECT_EQ(found->patch, 1);
  EXPECT_EQ(found->gridHeight, 3);
  EXPECT_EQ(found->gridWidth, 5);
  EXPECT_EQ(segmentsOf(found), "i15");
}

TEST(Embedding, PlanesOfAnotherConvolutionAreNoPicture) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 8, 4, 6});
  addSome(proto, "weight", {kDim, 8, 2, 2});
  addNode(proto, "Conv", {"image", "weight"}, {"grid"});
  addReshape(proto, "grid", {0, kDim, 15}, "columns");
  addTranspose(proto, "columns", {0, 2, 1}, "p");
  EXPECT_FALSE(embeddingOf(proto, "p"));
}

// As a stem that ends with an activation, whose rows attend to each other.
TEST(Embedding, PlanesOfAStemArePatchesWhereTheirRowsAttend) {
  for (const bool attends : {true, false}) {
    auto proto = emptyModel();
    addInput(proto, "image", {-1, 8, 4, 6});
    addSome(proto, "weight", {kDim, 8, 2, 2});
    addNode(proto, "Conv", {"image", "weight"}, {"grid"});
    addNode(proto, "Relu", {"grid"}, {"planes"});
    addReshape(proto, "planes", {0, kDim, 15}, "columns");
    addTranspose(proto, "columns", {0, 2, 1}, "p");
    addNode(proto, attends ? "MatMul" : "Relu", attends ? Strings{"p", "columns"} : Strings{"p"},
            {"next"});
    addOutput(proto, "next");
    const auto found = embeddingOf(proto, "p");
    ASSERT_EQ(found.has_value(), attends);
    if (found) {
      EXPECT_EQ(found->image, "planes");
      EXPECT_EQ(found->weight, "");
      EXPECT_EQ(segmentsOf(found), "i15");
    }
  }
}

// Which reads as few channels for each of its outputs as that of a picture does.
TEST(Embedding, PlanesOfADepthwiseConvolutionAreNoPicture) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, kDim, 4, 6});
  addSome(proto, "weight", {kDim, 1, 2, 2});
  auto& conv = addNode(proto, "Conv", {"image", "weight"}, {"grid"});
  onnx::setAttribute(conv, "group", kDim);
  addReshape(proto, "grid", {0, kDim, 15}, "columns");
  addTranspose(proto, "columns", {0, 2, 1}, "p");
  EXPECT_FALSE(embeddingOf(proto, "p"));
}

// They are the planes of their convolution then.
TEST(Embedding, PaddedPatchesAreNotCutOutOfTheImage) {
  const auto areCut = [](const char* attribute, const auto& value) {
    auto proto = patches();
    onnx::setAttribute(*proto.mutable_graph()->mutable_node(0), attribute, value);
    const auto found = embeddingOf(std::move(proto), "p");
    return found && found->weight == "weight" && found->image == "image";
  };
  EXPECT_TRUE(areCut("pads", Integers{0, 0, 0, 0}));
  EXPECT_TRUE(areCut("auto_pad", std::string("VALID")));
  EXPECT_FALSE(areCut("auto_pad", std::string("SAME_UPPER")));
  // The sizes that Conv gives stay the same, so that nothing but the attribute speaks against it.
  EXPECT_FALSE(areCut("pads", Integers{0, 0, 1, 1}));
  EXPECT_FALSE(areCut("pads", Integers{1, 1, 0, 0}));
}

TEST(Embedding, ColumnsOfTheGridMayNotComeFirst) {
  auto proto = patches();
  addTranspose(proto, "grid", {0, 3, 2, 1}, "turned");
  addReshape(proto, "turned", {0, kCount, kDim}, "columnwise");
  EXPECT_FALSE(embeddingOf(std::move(proto), "columnwise"));
}

// [B, height, width, D], and as rows behind that.
TEST(Embedding, PatchesOnTheirGrid) {
  auto proto = patches();
  addTranspose(proto, "grid", {0, 2, 3, 1}, "planes");
  addSome(proto, "position", {1, 2, 3, kDim}, 1);
  addNode(proto, "Add", {"planes", "position"}, {"placed"});
  addReshape(proto, "placed", {0, kCount, kDim}, "rows");
  const auto found = embeddingOf(std::move(proto), "rows");
  ASSERT_EQ(segmentsOf(found), "i6");
  EXPECT_FLOAT_EQ(found->segments[0].values.back(), 1 + 0.01F * (kCount * kDim - 1));

  auto turned = patches();
  addTranspose(turned, "grid", {0, 3, 2, 1}, "planes");
  EXPECT_FALSE(embeddingOf(std::move(turned), "planes"));
}

}  // namespace
}  // namespace mpm::test
