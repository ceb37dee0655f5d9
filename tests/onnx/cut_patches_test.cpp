// SPDX-License-Identifier: Apache-2.0
// Patches that people cut out of a picture in their own ways: the same rows, by a convolution.
#include "onnx/normal_form/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// A picture [batch, 3, 4, 6], or [batch, 4, 6, 3]: six patches of 2 x 2.
struct Picture {
  ModelProto proto = emptyModel();

  explicit Picture(bool channelsLast = false) {
    proto.mutable_opset_import(0)->set_version(17);
    addInput(proto, "x", channelsLast ? Integers{-1, 4, 6, 3} : Integers{-1, 3, 4, 6});
  }
  Picture& reshape(const std::string& from, const Integers& dims, const std::string& to) {
    addReshape(proto, from, dims, to);
    return *this;
  }
  Picture& transpose(const std::string& from, const Integers& order, const std::string& to) {
    addTranspose(proto, from, order, to);
    return *this;
  }
  // "rows" through a linear layer, or a norm.
  ModelProto projected(std::int64_t features = 12) {
    addSome(proto, "weight", {features, 5});
    addNode(proto, "MatMul", {"rows", "weight"}, {"y"});
    addOutput(proto, "y");
    return proto;
  }
  ModelProto normalised() {
    addNorm(proto, "rows", 12, "y");
    addOutput(proto, "y");
    return proto;
  }
};

// The nodes' types once patches are cut, after it gave what the model gives.
Strings typesOfCut(const ModelProto& proto, const Integers& dims = {2, 3, 4, 6}) {
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  onnx::cutPatches(after, onnx::Values(after, {{"x", dims}}));
  expectSameResult(before, after, {dims});
  return typesOf(after);
}

const Strings kConvolved{"Conv", "Reshape", "Transpose"};

ModelProto byReshape(const Integers& order, bool isNormalised = false) {
  Picture picture;
  picture.reshape("x", {-1, 3, 2, 2, 3, 2}, "cut").transpose("cut", order, "turned");
  picture.reshape("turned", {-1, 6, 12}, "rows");
  return isNormalised ? picture.normalised() : picture.projected();
}

TEST(CutPatches, ByReshapeAndTranspose) {
  EXPECT_EQ(typesOfCut(byReshape({0, 2, 4, 3, 5, 1})), kConvolved);
  EXPECT_EQ(typesOfCut(byReshape({0, 2, 4, 1, 3, 5})), kConvolved);
  EXPECT_EQ(typesOfCut(byReshape({0, 2, 4, 5, 1, 3})), kConvolved);
}

TEST(CutPatches, ThatAreNormalisedFirst) {
  const Strings expected{"Conv", "Reshape", "Transpose", "LayerNormalization"};
  EXPECT_EQ(typesOfCut(byReshape({0, 2, 4, 3, 5, 1}, true)), expected);
  EXPECT_EQ(typesOfCut(byReshape({0, 2, 4, 1, 3, 5}, true)), expected);
}

TEST(CutPatches, InTwoSteps) {
  Picture picture;
  picture.reshape("x", {-1, 3, 2, 2, 6}, "lines").transpose("lines", {0, 2, 1, 3, 4}, "turned");
  picture.reshape("turned", {-1, 2, 6, 3, 2}, "cut").transpose("cut", {0, 1, 3, 2, 4}, "again");
  picture.reshape("again", {-1, 6, 12}, "rows");
  EXPECT_EQ(typesOfCut(picture.projected()), kConvolved);
}

TEST(CutPatches, OfAGridOfRows) {
  Picture picture;
  picture.reshape("x", {-1, 3, 2, 2, 3, 2}, "cut").transpose("cut", {0, 2, 4, 1, 3, 5}, "turned");
  picture.reshape("turned", {-1, 2, 3, 12}, "rows");
  EXPECT_EQ(typesOfCut(picture.projected()), (Strings{"Conv", "Reshape", "Transpose", "Reshape"}));
}

// As onnxsim and ONNX Runtime write linear layers of one image.
TEST(CutPatches, ByAGemm) {
  for (const std::int64_t isTurned : {0, 1}) {
    Picture picture;
    picture.reshape("x", {-1, 3, 2, 2, 3, 2}, "cut").transpose("cut", {0, 2, 4, 1, 3, 5}, "turned");
    picture.reshape("turned", {-1, 12}, "rows");
    addSome(picture.proto, "weight", isTurned != 0 ? Integers{5, 12} : Integers{12, 5});
    addSome(picture.proto, "bias", {5});
    setAttribute(addNode(picture.proto, "Gemm", {"rows", "weight", "bias"}, {"y"}), "transB",
                 isTurned);
    addOutput(picture.proto, "y");
    EXPECT_EQ(typesOfCut(picture.proto), (Strings{"Conv", "Reshape", "Transpose", "Reshape"}));
  }
}

TEST(CutPatches, OfAPictureWhoseChannelsAreLast) {
  Picture picture(true);
  picture.reshape("x", {-1, 2, 2, 3, 2, 3}, "cut").transpose("cut", {0, 1, 3, 2, 4, 5}, "turned");
  picture.reshape("turned", {-1, 6, 12}, "rows");
  EXPECT_EQ(typesOfCut(picture.projected(), {2, 4, 6, 3}),
            (Strings{"Transpose", "Conv", "Reshape", "Transpose"}));
}

// As torch's unfold is exported: indices of lines by patch, then of columns.
ModelProto byGather(const Integers& lines) {
  Picture picture;
  ModelProto& proto = picture.proto;
  *proto.mutable_graph()->add_initializer() = onnx::integerTensor("lines", {2, 2}, lines);
  *proto.mutable_graph()->add_initializer() =
      onnx::integerTensor("columns", {2, 3}, {0, 2, 4, 1, 3, 5});
  setAttribute(addNode(proto, "Gather", {"x", "lines"}, {"by_line"}), "axis", std::int64_t{2});
  setAttribute(addNode(proto, "Gather", {"by_line", "columns"}, {"cut"}), "axis", std::int64_t{4});
  picture.transpose("cut", {0, 1, 2, 4, 3, 5}, "turned").reshape("turned", {-1, 12, 6}, "columned");
  return picture.transpose("columned", {0, 2, 1}, "rows").projected();
}

TEST(CutPatches, ByIndices) { EXPECT_EQ(typesOfCut(byGather({0, 2, 1, 3})), kConvolved); }

// Each patch by itself, one below the other.
ModelProto bySlices(const std::vector<std::pair<std::int64_t, std::int64_t>>& places) {
  Picture picture;
  Strings parts;
  for (const auto& [line, column] : places) {
    const std::string name = "patch" + std::to_string(parts.size());
    addSlice(picture.proto, "x", 2, line, line + 2, name + "_lines");
    addSlice(picture.proto, name + "_lines", 3, column, column + 2, name + "_cut");
    picture.reshape(name + "_cut", {-1, 1, 12}, name);
    parts.push_back(name);
  }
  addConcat(picture.proto, parts, 1, "rows");
  return picture.projected();
}

TEST(CutPatches, BySlices) {
  EXPECT_EQ(typesOfCut(bySlices({{0, 0}, {0, 2}, {0, 4}, {2, 0}, {2, 2}, {2, 4}})), kConvolved);
}

TEST(CutPatches, OfAPartOfThePicture) {
  const Strings expected{"Slice", "Conv", "Reshape", "Transpose"};
  EXPECT_EQ(typesOfCut(bySlices({{1, 1}, {1, 3}})), expected);
  EXPECT_EQ(typesOfCut(bySlices({{0, 0}, {0, 2}, {2, 0}, {2, 2}})), expected);
}

TEST(CutPatches, WhatScalesThePicture) {
  Picture picture;
  addNumber(picture.proto, "half", 0.5F);
  addNode(picture.proto, "Mul", {"x", "half"}, {"scaled"});
  picture.reshape("scaled", {-1, 3, 2, 2, 3, 2}, "cut");
  picture.transpose("cut", {0, 2, 4, 1, 3, 5}, "turned").reshape("turned", {-1, 6, 12}, "rows");
  EXPECT_EQ(typesOfCut(picture.projected()), kConvolved);
}

// Keras takes patches apart by a convolution with the identity, pixels in front of channels.
ModelProto byConvolution(bool channelsLast, float factor = 1, std::int64_t step = 2) {
  Picture picture(channelsLast);
  ModelProto& proto = picture.proto;
  if (channelsLast) picture.transpose("x", {0, 3, 1, 2}, "planes");
  std::vector<float> identity(12 * 12);
  for (std::size_t i = 0; i < 12; ++i) identity[i * 12 + i % 3 * 4 + i / 3] = factor;
  addConstant(proto, "identity", {12, 3, 2, 2}, identity);
  auto& conv = addNode(proto, "Conv", {channelsLast ? "planes" : "x", "identity"}, {"apart"});
  setAttribute(conv, "strides", Integers{step, step});
  picture.transpose("apart", {0, 2, 3, 1}, "grid");
  return picture.reshape("grid", {0, -1, 12}, "rows").projected();
}

TEST(CutPatches, ByAConvolutionThatTakesThemApart) {
  EXPECT_EQ(typesOfCut(byConvolution(false)), kConvolved);
  EXPECT_EQ(typesOfCut(byConvolution(true), {2, 4, 6, 3}),
            (Strings{"Transpose", "Conv", "Reshape", "Transpose"}));
  const Strings asItWas{"Conv", "Transpose", "Reshape", "MatMul"};
  EXPECT_EQ(typesOfCut(byConvolution(false, 2)), asItWas) << "any other convolution";
  EXPECT_EQ(typesOfCut(byConvolution(false, 1, 1)), asItWas) << "patches that overlap";
}

TEST(CutPatches, OtherRowsStay) {
  const auto isCut = [](const ModelProto& proto) {
    const Strings types = typesOfCut(proto);
    return std::count(types.begin(), types.end(), "Conv") != 0;
  };
  EXPECT_FALSE(isCut(byReshape({0, 4, 2, 3, 5, 1}))) << "columns of patches first";
  EXPECT_FALSE(isCut(byReshape({0, 2, 5, 1, 3, 4}))) << "every third column";
  EXPECT_FALSE(isCut(byGather({0, 1, 1, 2}))) << "patches that overlap";
  EXPECT_FALSE(isCut(bySlices({{0, 0}, {2, 0}, {0, 2}, {2, 2}, {0, 4}, {2, 4}}))) << "by columns";
  EXPECT_FALSE(isCut(bySlices({{0, 0}, {0, 2}, {0, 2}}))) << "one of them twice";
  EXPECT_FALSE(isCut(bySlices({{0, 0}, {1, 2}}))) << "a step down";
}

}  // namespace
}  // namespace mpm::test
