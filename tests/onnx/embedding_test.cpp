// SPDX-License-Identifier: Apache-2.0
// What stands in front of an encoder: patches, positions, and rows that are the same for any image.
#include "onnx/embedding.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"

namespace mpm::test {
namespace {

using onnx::Embedding;

constexpr std::int64_t kPatch = 2, kDim = 3, kCount = 6;  // of a grid of 2 x 3

// Patches "p" of "image": [B, N, D], or [N, B, D].
ModelProto patches(bool rowsFirst = false) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 1, 4, 6});
  addSome(proto, "weight", {kDim, 1, kPatch, kPatch});
  addSome(proto, "bias", {kDim});
  auto& conv = addNode(proto, "Conv", {"image", "weight", "bias"}, {"grid"});
  onnx::setAttribute(conv, "strides", Integers{kPatch, kPatch});
  addReshape(proto, "grid", {0, kDim, kCount}, "columns");
  addTranspose(proto, "columns", rowsFirst ? Integers{2, 0, 1} : Integers{0, 2, 1}, "p");
  return proto;
}

// As the translation does it: each value is asked for when those in front of it are known.
std::optional<Embedding> embeddingOf(ModelProto proto, const std::string& value) {
  addOutput(proto, value);
  const Looked looked(std::move(proto));
  std::unordered_map<std::string, Embedding> all;
  const auto known = [&](const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
  };
  for (const auto* node : looked.model().nodes()) {
    for (const std::string& output : node->output()) {
      if (auto found = onnx::findEmbedding(looked.facts(), output, known))
        all.emplace(output, std::move(*found));
    }
  }
  const Embedding* found = known(value);
  return found == nullptr ? std::nullopt : std::optional<Embedding>(*found);
}

// "i3 c1": three of the image, one constant row.
std::string segmentsOf(const std::optional<Embedding>& embedding) {
  if (!embedding) return "none";
  std::string text;
  for (const Embedding::Segment& segment : embedding->segments) {
    if (!text.empty()) text += " ";
    text += (segment.isImage ? "i" : "c") + std::to_string(segment.count);
  }
  return text;
}

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

// Rows 0, 3; 1, 4; 2, 5 of the grid of 2 x 3: windows of one column each.
void addWindows(ModelProto& proto, const std::string& from, const std::string& to) {
  addReshape(proto, from, {-1, 1, 2, 3, 1, kDim}, to + "_apart");
  addTranspose(proto, to + "_apart", {0, 1, 3, 2, 4, 5}, to + "_dealt");
  addReshape(proto, to + "_dealt", {-1, 2, kDim}, to);
}

constexpr onnx::Windows kColumns{1, 3, 2, 1};

TEST(Embedding, RowsThatAreDealtOutToWindows) {
  auto proto = patches();
  addSome(proto, "position", {1, kCount, kDim}, 1);
  addNode(proto, "Add", {"p", "position"}, {"placed"});
  addWindows(proto, "placed", "y");
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "i6");
  EXPECT_EQ(found->windows, kColumns);
  EXPECT_EQ(found->batch, 2);
  // Positions stay in the order of the grid.
  EXPECT_FLOAT_EQ(found->segments[0].values.back(), 1 + 0.01F * (kCount * kDim - 1));
}

// With the axis of images and that of windows below each other as one.
TEST(Embedding, WindowsOfFiveAxes) {
  auto proto = patches();
  addSome(proto, "position", {1, kCount, kDim}, 1);
  addNode(proto, "Add", {"p", "position"}, {"placed"});
  addReshape(proto, "placed", {-1, 2, 3, 1, kDim}, "apart");
  addTranspose(proto, "apart", {0, 2, 1, 3, 4}, "dealt");
  addReshape(proto, "dealt", {-1, 2, kDim}, "y");
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "i6");
  EXPECT_EQ(found->windows, kColumns);
}

// Windows of one patch each: column by column, where their order is row by row.
TEST(Embedding, OtherOrdersAreNoWindows) {
  for (const Integers& perm : {Integers{0, 3, 1, 2, 4, 5}, Integers{0, 1, 2, 3, 4, 5}}) {
    auto proto = patches();
    addSome(proto, "position", {1, kCount, kDim}, 1);
    addNode(proto, "Add", {"p", "position"}, {"placed"});
    addReshape(proto, "placed", {-1, 2, 1, 3, 1, kDim}, "apart");
    addTranspose(proto, "apart", perm, "dealt");
    addReshape(proto, "dealt", {-1, 1, kDim}, "y");
    EXPECT_EQ(segmentsOf(embeddingOf(std::move(proto), "y")), "none");
  }
}

// RF-DETR: each window has a class token of its own.
TEST(Embedding, ConstantRowsForEachWindow) {
  auto proto = patches();
  const std::vector<float> row = someValues({kDim}, 2);
  std::vector<float> rows = row;
  rows.insert(rows.end(), row.begin(), row.end());
  addConstant(proto, "class", {2, 1, kDim}, rows);
  addConcat(proto, {"class", "p"}, 1, "all");
  addSome(proto, "position", {1, kCount + 1, kDim}, 1);
  addNode(proto, "Add", {"all", "position"}, {"tokens"});
  addSlice(proto, "tokens", 1, 0, 1, "first");
  addSlice(proto, "tokens", 1, 1, kMax, "rest");
  addIntegers(proto, "times", {3, 1, 1});
  addNode(proto, "Tile", {"first", "times"}, {"repeated"});
  addWindows(proto, "rest", "dealt");
  addConcat(proto, {"repeated", "dealt"}, 1, "y");
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "c3 i6");
  EXPECT_EQ(found->windows, kColumns);
  for (std::size_t i = 0; i < 3 * kDim; ++i) {
    const std::size_t feature = i % kDim;
    EXPECT_FLOAT_EQ(found->segments[0].values[i],
                    row[feature] + 1 + 0.01F * static_cast<float>(feature));
  }
}

TEST(Embedding, AsManyConstantRowsAsWindowsOrNone) {
  for (const std::int64_t times : {2, 3}) {
    auto proto = patches();
    addSome(proto, "position", {1, kCount, kDim}, 1);
    addNode(proto, "Add", {"p", "position"}, {"placed"});
    addWindows(proto, "placed", "dealt");
    addConstant(proto, "class", {2 * times, 1, kDim}, std::vector<float>(2 * times * kDim, 7));
    addConcat(proto, {"class", "dealt"}, 1, "y");
    EXPECT_EQ(segmentsOf(embeddingOf(std::move(proto), "y")), times == 3 ? "c3 i6" : "none");
  }
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
