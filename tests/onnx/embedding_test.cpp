// SPDX-License-Identifier: Apache-2.0
// What is joined to patches in front of an encoder: positions, and rows that are the same for any
// image.
#include "onnx/recognise/embedding.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/embedding_case.h"

namespace mpm::test {
namespace {

TEST(Embedding, PositionsInFrontOfTheClassTokenAndBehindIt) {
  auto proto = patches();
  addSome(proto, "position", {1, kCount, kDim}, 1);
  addSome(proto, "class", {1, 1, kDim}, 2);
  addNode(proto, "Expand", {"class", "class_dims"}, {"classes"});
  addIntegers(proto, "class_dims", {2, 1, kDim});
  addNode(proto, "Add", {"position", "p"}, {"placed"});
  addConcat(proto, {"classes", "placed"}, 1, "tokens");
  addSome(proto, "position_all", {1, kCount + 1, kDim}, 3);
  addNode(proto, "Add", {"tokens", "position_all"}, {"y"});
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "c1 i6");
  for (std::size_t i = 0; i < kDim; ++i) {
    const float step = 0.01F * static_cast<float>(i);
    EXPECT_FLOAT_EQ(found->segments[0].values[i], 2 + step + 3 + step) << "class and its position";
    EXPECT_FLOAT_EQ(found->segments[1].values[i], 1 + step + 3 + 0.03F + step) << "both positions";
  }
}

// A bias behind the convolution, and positions of lines and of columns.
TEST(Embedding, ConstantsThatAreBroadcastToTheGrid) {
  const std::pair<Integers, std::size_t> cases[] = {{{1, 1, 1, kDim}, 0},
                                                    {{kDim}, 0},
                                                    {{2, 1, kDim}, kDim},
                                                    {{1, 3, kDim}, 2 * kDim},
                                                    {{1, 2, 3, 1}, kCount - 1}};
  for (const auto& [dims, last] : cases) {
    auto proto = patches();
    addTranspose(proto, "grid", {0, 2, 3, 1}, "planes");
    addSome(proto, "added", dims, 1);
    addNode(proto, "Add", {"planes", "added"}, {"placed"});
    addReshape(proto, "placed", {0, kCount, kDim}, "rows");
    const auto found = embeddingOf(std::move(proto), "rows");
    ASSERT_EQ(segmentsOf(found), "i6") << dims.size();
    const std::size_t feature = dims.back() == 1 ? 0 : kDim - 1;
    EXPECT_FLOAT_EQ(found->segments[0].values.back(),
                    1 + 0.01F * static_cast<float>(last + feature));
  }
  auto proto = patches();
  addTranspose(proto, "grid", {0, 2, 3, 1}, "planes");
  addSome(proto, "added", {2, 2, 3, kDim}, 1);
  addNode(proto, "Add", {"planes", "added"}, {"placed"});
  EXPECT_FALSE(embeddingOf(std::move(proto), "placed")) << "others for each image";
}

TEST(Embedding, ConstantsThatAreAddedToPlanes) {
  const auto placed = [](const Integers& dims) {
    auto proto = patches();
    addSome(proto, "table", dims, 1);
    addNode(proto, "Add", {"grid", "table"}, {"placed"});
    addTranspose(proto, "placed", {0, 2, 3, 1}, "planes");
    addReshape(proto, "planes", {0, kCount, kDim}, "rows");
    return embeddingOf(std::move(proto), "rows");
  };
  const auto found = placed({1, kDim, 2, 3});
  ASSERT_EQ(segmentsOf(found), "i6");
  EXPECT_EQ(found->image, "image");
  EXPECT_EQ(found->patch, kPatch);
  const std::vector<float>& values = found->segments[0].values;
  EXPECT_FLOAT_EQ(values[1], 1.06F) << "the second plane";
  EXPECT_FLOAT_EQ(values[kDim], 1.01F) << "the second place";
  EXPECT_FLOAT_EQ(values.back(), 1.17F);
  EXPECT_FLOAT_EQ(placed({1, 1, 2, 3})->segments[0].values[kDim + 1], 1.01F);
}

// As a class token comes by a sum with rows of zeros, or is written over them.
TEST(Embedding, RowsOfZerosByAPad) {
  const auto padded = [](const Integers& pads, bool rowsFirst = false,
                         const char* mode = "constant", float number = 0.5F) {
    auto proto = patches(rowsFirst);
    addIntegers(proto, "pads", pads);
    addNumber(proto, "number", number);
    auto& pad = addNode(proto, "Pad", {"p", "pads", "number"}, {"y"});
    onnx::setAttribute(pad, "mode", std::string(mode));
    return embeddingOf(std::move(proto), "y");
  };
  const auto found = padded({0, 1, 0, 0, 2, 0});
  ASSERT_EQ(segmentsOf(found), "c1 i6 c2");
  EXPECT_EQ(found->segments[0].values, (std::vector<float>{0.5F, 0.5F, 0.5F}));
  EXPECT_EQ(found->segments[2].values.size(), 6U);
  EXPECT_EQ(segmentsOf(padded({1, 0, 0, 0, 0, 0}, true)), "c1 i6");
  EXPECT_EQ(segmentsOf(padded({0, 1, 0, 0, 0, 0}, true)), "none") << "more images";
  EXPECT_EQ(segmentsOf(padded({0, 0, 1, 0, 0, 0})), "none") << "more features";
  EXPECT_EQ(segmentsOf(padded({0, -1, 0, 0, 1, 0})), "none") << "less rows";
  EXPECT_EQ(segmentsOf(padded({0, 1, 0, 0, std::int64_t{1} << 40, 0})), "none") << "too many rows";
  EXPECT_EQ(segmentsOf(padded({0, 1, 0, 0, 0, 0}, false, "reflect")), "none");
}

TEST(Embedding, OnePositionForAllRows) {
  auto proto = patches(true);
  addConstant(proto, "shift", {kDim}, {1, 2, 3});
  addNode(proto, "Add", {"p", "shift"}, {"y"});
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "i6");
  const auto& values = found->segments[0].values;
  EXPECT_EQ(std::vector<float>(values.end() - 3, values.end()), (std::vector<float>{1, 2, 3}));
}

TEST(Embedding, PositionsThatDifferBetweenImagesAreNone) {
  for (const float other : {1.0F, 2.0F}) {
    auto proto = patches();
    std::vector<float> rows(2 * kCount * kDim, 1);
    rows.back() = other;
    addConstant(proto, "position", {2, kCount, kDim}, rows);
    addNode(proto, "Add", {"p", "position"}, {"y"});
    EXPECT_EQ(embeddingOf(std::move(proto), "y").has_value(), other == 1.0F);
  }
}

// DINOv2: positions know of no registers, so these are put between class token and patches later.
TEST(Embedding, RegistersInTheMiddle) {
  auto proto = patches();
  const std::vector<float> classRow = someValues({kDim}, 2);
  std::vector<float> rows = classRow;
  rows.insert(rows.end(), classRow.begin(), classRow.end());
  addConstant(proto, "class", {2, 1, kDim}, rows);
  addConstant(proto, "registers", {2, 2, kDim}, std::vector<float>(2 * 2 * kDim, 7));
  addConcat(proto, {"class", "p"}, 1, "tokens");
  addSlice(proto, "tokens", 1, 0, 1, "first");
  addSlice(proto, "tokens", 1, 1, kMax, "rest");
  addConcat(proto, {"first", "registers", "rest"}, 1, "y");
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "c1 c2 i6");
  EXPECT_EQ(found->segments[0].values, classRow);
  EXPECT_EQ(found->segments[1].values, std::vector<float>(2 * kDim, 7));
  EXPECT_EQ(found->rows(), 9);
}

// Three constant rows 0, 1, 2 in front of the patches, and a slice of all.
std::string sliced(std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  auto proto = patches(true);
  std::vector<float> rows;
  for (const float row : {0.0F, 0.0F, 1.0F, 1.0F, 2.0F, 2.0F}) rows.insert(rows.end(), kDim, row);
  addConstant(proto, "constant", {3, 2, kDim}, rows);
  addConcat(proto, {"constant", "p"}, 0, "tokens");
  addSlice(proto, "tokens", 0, begin, end, "y", step);
  const auto found = embeddingOf(std::move(proto), "y");
  std::string text = segmentsOf(found);
  if (found && !found->segments[0].isImage)
    text += " from " + std::to_string(static_cast<int>(found->segments[0].values[0]));
  return text;
}

// As tutorials do that follow the first transformer, whose rows are scaled by the root of their
// width.
TEST(Embedding, AFactorOfAllRows) {
  auto proto = patches();
  addConstant(proto, "class", {2, 1, kDim}, std::vector<float>(2 * kDim, 3));
  addConcat(proto, {"class", "p"}, 1, "tokens");
  addNumber(proto, "root", 2);
  addNode(proto, "Mul", {"tokens", "root"}, {"y"});
  const auto found = embeddingOf(proto, "y");
  ASSERT_EQ(segmentsOf(found), "c1 i6");
  EXPECT_EQ(found->segments[0].values, std::vector<float>(kDim, 6));
  EXPECT_EQ(found->factors, std::vector<float>(kDim, 2));
  addConstant(proto, "factors", {kDim}, std::vector<float>{1, 2, 3});
  addNode(proto, "Mul", {"factors", "y"}, {"z"});
  EXPECT_EQ(embeddingOf(proto, "z")->factors, (std::vector<float>{2, 4, 6}));
  addConcat(proto, {"class", "y"}, 1, "more");
  EXPECT_EQ(segmentsOf(embeddingOf(proto, "more")), "c1 c1 i6");
  addSome(proto, "by_row", {1, kCount + 1, 1});
  addNode(proto, "Mul", {"tokens", "by_row"}, {"other"});
  EXPECT_FALSE(embeddingOf(proto, "other")) << "not the same for all";
}

TEST(Embedding, Slices) {
  EXPECT_EQ(sliced(0, 9), "c3 i6 from 0");
  EXPECT_EQ(sliced(1, 9), "c2 i6 from 1");
  EXPECT_EQ(sliced(3, 9), "i6");
  EXPECT_EQ(sliced(1, 2), "c1 from 1");
  EXPECT_EQ(sliced(2, 8), "none") << "some of the patches";
  EXPECT_EQ(sliced(4, 9), "none");
  EXPECT_EQ(sliced(0, 3, 2), "none");
}

TEST(Embedding, SwapOfRowsAndImages) {
  auto proto = patches();
  addTranspose(proto, "p", {1, 0, 2}, "y");
  EXPECT_EQ(embeddingOf(proto, "y")->rowsFirst, true);
  addTranspose(proto, "y", {1, 0, 2}, "back");
  EXPECT_EQ(embeddingOf(proto, "back")->rowsFirst, false);
  addTranspose(proto, "p", {0, 2, 1}, "columnsAgain");
  EXPECT_FALSE(embeddingOf(std::move(proto), "columnsAgain"));
}

TEST(Embedding, ConcatThatIsSomethingElse) {
  auto proto = patches();
  addInput(proto, "row", {-1, 1, kDim});
  addSome(proto, "wide", {2, kCount, 1});
  addConcat(proto, {"row", "p"}, 1, "fromInput");
  addConcat(proto, {"p", "p"}, 1, "twice");
  addConcat(proto, {"p", "wide"}, 2, "features");
  for (const char* value : {"fromInput", "twice", "features"})
    EXPECT_FALSE(embeddingOf(proto, value)) << value;
}

}  // namespace
}  // namespace mpm::test
