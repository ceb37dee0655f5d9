// SPDX-License-Identifier: Apache-2.0
// What keeps a model as a whole from being recognised, and what is known of one that is not.
#include "onnx/layers/recognise.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/graph/error.h"
#include "onnx/layers/rewrite_model.h"
#include "onnx/small_vit.h"

namespace mpm::test {
namespace {

TEST(Recognise, AReshapeToAnotherNumberOfElementsIsRefusedWhereTheBatchIsClosed) {
  const auto sentenceOf = [](std::int64_t batch) -> std::string {
    auto proto = emptyModel();
    addInput(proto, "image", {batch, 3, 4, 4});
    addReshape(proto, "image", {1, 3, 17}, "y");
    addOutput(proto, "y");
    Model model(std::move(proto));
    try {
      return onnx::recognise(model, {}).encoder.obstacle;
    } catch (const onnx::ModelError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(sentenceOf(1).find("a reshape changes the number of elements: node '"), 0U);
  EXPECT_EQ(sentenceOf(-1), "it has no transformer block");
}

// As PyTorch's exporter writes Depth Pro and ZoeDepth from two pictures: a split of the batch has
// their number.
TEST(Recognise, AnOpenBatchInWhichTwoImagesAreBuiltInIsTwo) {
  const auto batchOf = [](std::int64_t second) {
    auto proto = emptyModel();
    addInput(proto, "image", {-1, 3, 4, 4});
    addIntegers(proto, "sizes", {1, second});
    addNode(proto, "Split", {"image", "sizes"}, {"first", "y"});
    addOutput(proto, "y");
    Model model(std::move(proto));
    onnx::recognise(model, {});
    return model.inputs().front().dims.front().size;
  };
  EXPECT_EQ(batchOf(1), 2);
  EXPECT_LT(batchOf(2), 1) << "three are right for three";
}

// ONNX Runtime refuses it as well, but only when it runs.
TEST(Recognise, AnExpandToSizesThatDoNotFitIsRefusedWhateverTheBatch) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 3, 4, 4});
  addSome(proto, "token", {1, 1, 6});
  addNode(proto, "Shape", {"image"}, {"shape"});
  addSlice(proto, "shape", 0, 0, 1, "batch");
  addIntegers(proto, "others", {3, 3});
  addConcat(proto, {"batch", "others"}, 0, "sizes");
  addNode(proto, "Expand", {"token", "sizes"}, {"y"});
  addOutput(proto, "y");
  Model model(std::move(proto));
  try {
    onnx::recognise(model, {});
    ADD_FAILURE() << "it was taken";
  } catch (const onnx::ModelError& error) {
    EXPECT_EQ(std::string(error.what()).find("an expand's sizes do not fit what it expands: node"),
              0U)
        << error.what();
  }
}

TEST(Recognise, WhatWasMadeForOneProcessorIsRefusedAsThat) {
  auto proto = emptyModel();
  addInput(proto, "image", {1, 3, 8, 8});
  auto& conv = addNode(proto, "Conv", {"image", "kernel"}, {"y"});
  conv.set_domain("com.microsoft.nchwc");
  addConstant(proto, "kernel", {8, 3, 1, 1}, std::vector<float>(24, 1));
  addOutput(proto, "y");
  Model model(std::move(proto));
  try {
    onnx::recognise(model, {});
    ADD_FAILURE() << "it was taken";
  } catch (const onnx::ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("for one kind of processor"), std::string::npos);
  }
}

TEST(Recognise, OfAModelThatStaysOpenSizesAreKnownAsFarAsTheyCanBe) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 3, -1, -1});
  addConstant(proto, "kernel", {5, 3, 1, 1}, std::vector<float>(15, 1));
  addNode(proto, "Conv", {"image", "kernel"}, {"y"});
  addOutput(proto, "y");
  Model model(std::move(proto));
  const onnx::Recognised recognised = onnx::recognise(model, {});
  EXPECT_NE(recognised.encoder.obstacle, "");
  ASSERT_NE(recognised.values, nullptr);
  const Integers* dims = recognised.values->dims("y");
  ASSERT_NE(dims, nullptr);
  EXPECT_EQ((*dims)[1], 5);
}

// One convolution of an image of any size, and what is added to its planes.
Model openModel(const Integers& added) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 3, -1, -1});
  addConstant(proto, "kernel", {5, 3, 1, 1}, std::vector<float>(15, 1));
  addNode(proto, "Conv", {"image", "kernel"}, {"planes"});
  addConstant(proto, "added", added,
              std::vector<float>(static_cast<std::size_t>(added[1] * added[2]), 1));
  addNode(proto, "Add", {"planes", "added"}, {"y"});
  addOutput(proto, "y");
  return Model(std::move(proto));
}

TEST(Recognise, AnOpenSizeBecomesTheOneThatIsAskedForWhetherThereIsAnEncoderOrNot) {
  Model model = openModel({1, 5, 1, 1});
  const onnx::Recognised recognised = onnx::recognise(model, {true, 8, 4});
  EXPECT_EQ(recognised.encoder.obstacle, "it has no transformer block");
  EXPECT_EQ(recognised.ownWidth, 8);
  EXPECT_EQ(recognised.ownHeight, 4);
  ASSERT_NE(recognised.values->dims("y"), nullptr);
  EXPECT_EQ(*recognised.values->dims("y"), (Integers{-1, 5, 4, 8}));
}

TEST(Recognise, AnOpenSizeStaysOpenWhereTheGraphDoesNotTakeTheOneThatIsAskedFor) {
  Model taking = openModel({1, 1, 3, 1}), refusing = openModel({1, 1, 3, 1});
  EXPECT_EQ(onnx::recognise(taking, {true, 8, 3}).ownHeight, 3);
  EXPECT_NE(onnx::recognise(refusing, {true, 8, 4}).ownHeight, 4);
}

// All pixels of a picture of any size and channels, and a layer for so many of them.
Model openPixels(std::int64_t count) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, -1, -1, -1});
  addNode(proto, "Flatten", {"image"}, {"pixels"});
  addSome(proto, "weight", {count, 5});
  addNode(proto, "MatMul", {"pixels", "weight"}, {"products"});
  addNode(proto, "Softmax", {"products"}, {"y"});
  addOutput(proto, "y");
  return Model(std::move(proto));
}

TEST(Recognise, OpenChannelsThatNoConvolutionTellsAreThoseThatFit) {
  Model colours = openPixels(3 * 4 * 8), grey = openPixels(4 * 8);
  EXPECT_EQ(onnx::recognise(colours, {true, 8, 4}).channels, 3);
  EXPECT_EQ(onnx::recognise(grey, {true, 8, 4}).channels, 1);
}

TEST(Recognise, AnOpenSizeThatDoesNotFitIsRefusedWithWhatWasAskedFor) {
  Model asked = openPixels(96), unasked = openPixels(96);
  const std::string sentence = onnx::recognise(asked, {true, 16, 4}).encoder.obstacle;
  EXPECT_NE(sentence.find("does not fit 16x4; please give the size that it was exported for"),
            std::string::npos)
      << sentence;
  EXPECT_NE(onnx::recognise(unasked, {}).encoder.obstacle.find("please give an input size"),
            std::string::npos);
}

TEST(ImageInput, PlacesOfPointsAreNoPicture) {
  auto proto = emptyModel();
  addInput(proto, "points", {-1, -1, -1, 2});
  addInput(proto, "picture", {-1, 3, 32, 64});
  EXPECT_EQ(onnx::imageInput(Model(std::move(proto))).name, "picture");
}

// The grids, rows and columns, that a model with these positions may have. Linear layers have
// weights [25, 4], which `reader` reads on their way.
std::vector<Integers> gridsOf(const Integers& positions, const std::string& reader) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 1, -1, -1});
  addConstant(proto, "kernel", {4, 1, 2, 2}, std::vector<float>(16, 1));
  onnx::setAttribute(addNode(proto, "Conv", {"image", "kernel"}, {"patches"}), "strides",
                     Integers{2, 2});
  std::size_t count = 1;
  for (const std::int64_t size : positions) count *= static_cast<std::size_t>(size);
  addConstant(proto, "positions", positions, std::vector<float>(count, 1));
  addNode(proto, "Add", {"patches", "positions"}, {"tokens"});
  addConstant(proto, "weight", {25, 4}, std::vector<float>(100, 1));
  addNode(proto, reader, {"weight"}, {"read"});
  addNode(proto, "MatMul", {"tokens", reader == "Neg" ? "weight" : "read"}, {"y"});
  addOutput(proto, "y");
  const Model model(std::move(proto));
  std::vector<Integers> grids;
  for (onnx::ImageInput size : onnx::sizesByPositions(model, onnx::imageInput(model)))
    grids.push_back({size.height() / 2, size.width() / 2});
  return grids;
}

TEST(SizesByPositions, RowsOfWeightsAreNoPatches) {
  EXPECT_EQ(gridsOf({1, 5, 4}, "Neg"), (std::vector<Integers>{{2, 2}}));
  EXPECT_EQ(gridsOf({1, 5, 4}, "Transpose"), (std::vector<Integers>{{2, 2}}));
  EXPECT_EQ(gridsOf({1, 5, 4}, "Exp"), (std::vector<Integers>{{5, 5}, {4, 4}, {3, 3}, {2, 2}}));
}

// Which exporters compute from the rows while they write a file.
TEST(SizesByPositions, AGridThatIsResizedIsOne) {
  EXPECT_EQ(gridsOf({1, 4, 3, 5}, "Neg"), (std::vector<Integers>{{3, 5}}));
  EXPECT_EQ(gridsOf({1, 3, 5, 4}, "Neg"), (std::vector<Integers>{{3, 5}}));
  EXPECT_EQ(gridsOf({1, 3, 5, 7}, "Neg"), std::vector<Integers>());
  EXPECT_EQ(gridsOf({1, 4, 1, 1}, "Neg"), std::vector<Integers>());
}

// Of a grid of 4 x 6 with one special row, at twice the height; what -1 becomes was not told.
Integers atTwiceTheHeight(Integers sizes, std::int64_t features = 32) {
  const onnx::SizeChange change{32, 48, 64, 48, 4, 6, 8, 6, 1, features};
  return onnx::replaceSizes(sizes, change) ? sizes : Integers{};
}

// A small ViT of 7 rows, in whose head the sum over them is divided by the number.
std::string resizedWith(float divisor) {
  auto proto = smallVit(2);
  addIntegers(proto, "rows_axis", {1});
  addNode(proto, "ReduceSum", {"y", "rows_axis"}, {"sum"});
  addNumber(proto, "divisor", divisor);
  addNode(proto, "Sqrt", {"sum"}, {"root"});
  addNode(proto, "Div", {"root", "divisor"}, {"deviation"}).set_name("divide");
  addOutput(proto, "deviation");
  Model model(std::move(proto));
  onnx::RewriteOptions options;
  options.recognise.width = 6;
  options.recognise.height = 8;
  try {
    onnx::rewriteInFile(model, onnx::planRewriting(model, options));
  } catch (const onnx::ModelError& error) {
    return error.what();
  }
  return "taken";
}

TEST(OtherSize, NumbersThatMayBeCountsOfTokensAreRefused) {
  for (const float count : {7.0F, 6.0F, 1.0F / 7, 7.0F / 6, 5.0F, 23.0F}) {
    EXPECT_EQ(resizedWith(count),
              "another input size is not possible: a number of node 'divide' ('Div') may have been "
              "made from how many tokens or pixels there are")
        << count;
  }
  for (const float other : {2.0F, 8.0F, 100.0F}) EXPECT_EQ(resizedWith(other), "taken") << other;
}

TEST(ReplaceSizes, OfAGridOfAPictureAndOfRows) {
  EXPECT_EQ(atTwiceTheHeight({-1, 32, 4, 6}), (Integers{-1, 32, 8, 6}));
  EXPECT_EQ(atTwiceTheHeight({-1, 3, 32, 48}), (Integers{-1, 3, 64, 48}));
  EXPECT_EQ(atTwiceTheHeight({-1, 24, 32}), (Integers{-1, 48, 32}));
  EXPECT_EQ(atTwiceTheHeight({-1, 25, 2, 16}), (Integers{-1, 49, 2, 16}));
  EXPECT_EQ(atTwiceTheHeight({-1, 3, 32 * 48}), (Integers{-1, 3, 64 * 48}));
  EXPECT_EQ(atTwiceTheHeight({-1, 7}), (Integers{-1, 7}));
}

TEST(ReplaceSizes, OnesThatMayBeOfFeaturesAreNotTouched) {
  EXPECT_EQ(atTwiceTheHeight({-1, 24, 24}), Integers{});
  EXPECT_EQ(atTwiceTheHeight({-1, 24}, 24), Integers{});
  EXPECT_EQ(atTwiceTheHeight({-1, 25, 24}, 24), (Integers{-1, 49, 24})) << "all rows are more";
  EXPECT_EQ(atTwiceTheHeight({-1, 32, 8, 12}), Integers{}) << "of a picture, of what size is open";
}

}  // namespace
}  // namespace mpm::test
