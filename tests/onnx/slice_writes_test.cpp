// SPDX-License-Identifier: Apache-2.0
// x[..., a:b] = y, as exporters write it.
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

constexpr std::int64_t kRows = 3, kDim = 5;

// Numbers from `first` on, of these dims.
void addRange(ModelProto& proto, const std::string& name, const Integers& dims,
              std::int64_t first) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  Integers values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(first + i);
  *proto.mutable_graph()->add_initializer() = onnx::integerTensor(name, dims, values);
}

// "x" [batch, 3, 5] with "z" [batch, 3, end - begin] written over features [begin, end): the places
// are columns of numbers, each spread to the sizes of z.
ModelProto written(std::int64_t begin, std::int64_t end, std::int64_t firstRow = 0) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, kRows, kDim});
  addInput(proto, "z", {-1, kRows, end - begin});
  addNode(proto, "Shape", {"z"}, {"sizes"});
  addSlice(proto, "sizes", 0, 0, 1, "images");
  addNumber(proto, "none", 0);
  addRange(proto, "zero", {}, 0);
  addRange(proto, "one", {}, 1);
  addIntegers(proto, "flat", {});
  addNode(proto, "Reshape", {"images", "flat"}, {"count"});
  addNode(proto, "Range", {"zero", "count", "one"}, {"line"});
  addReshape(proto, "line", {-1, 1, 1}, "image");
  addRange(proto, "row", {kRows, 1}, firstRow);
  addRange(proto, "feature", {end - begin}, begin);
  addIntegers(proto, "last", {-1});
  Strings columns;
  for (const char* each : {"image", "row", "feature"}) {
    const std::string name = each;
    addNode(proto, "Expand", {name, "sizes"}, {name + "_spread"});
    addNode(proto, "Unsqueeze", {name + "_spread", "last"}, {name + "_column"});
    columns.push_back(name + "_column");
  }
  addConcat(proto, columns, -1, "places");
  addNode(proto, "ScatterND", {"x", "places", "z"}, {"y"});
  addOutput(proto, "y");
  return proto;
}

Strings typesOfSliced(const ModelProto& proto, const std::vector<Integers>& dims) {
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  onnx::spellSliceWrites(after, onnx::Values(after, {{"x", dims[0]}, {"z", dims[1]}}),
                         onnx::Values(after));
  const std::vector<float> expected = resultOf(before, dims), found = resultOf(after, dims);
  EXPECT_EQ(expected, found);
  return typesOf(after);
}

TEST(SliceWrites, OfFeaturesAreJoined) {
  const auto types = [](std::int64_t begin, std::int64_t end) {
    return typesOfSliced(written(begin, end), {{2, kRows, kDim}, {2, kRows, end - begin}});
  };
  EXPECT_EQ(types(0, 2), (Strings{"Slice", "Concat"}));
  EXPECT_EQ(types(1, 3), (Strings{"Slice", "Slice", "Concat"}));
  EXPECT_EQ(types(3, 5), (Strings{"Slice", "Concat"}));
}

TEST(SliceWrites, WithPlacesThatAreAConstant) {
  for (const bool isWhole : {true, false}) {
    auto proto = emptyModel();
    proto.mutable_opset_import(0)->set_version(17);
    addInput(proto, "x", {1, kRows, kDim});
    addInput(proto, "z", {1, kRows, 2});
    Integers places;
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t feature = 0; feature < 2; ++feature)
        places.insert(places.end(), {0, row, isWhole ? 1 + feature : 1 + 2 * feature});
    }
    *proto.mutable_graph()->add_initializer() =
        onnx::integerTensor("places", {1, kRows, 2, 3}, places);
    addNode(proto, "ScatterND", {"x", "places", "z"}, {"y"});
    addOutput(proto, "y");
    const Strings types = typesOfSliced(proto, {{1, kRows, kDim}, {1, kRows, 2}});
    EXPECT_EQ(types, isWhole ? (Strings{"Slice", "Slice", "Concat"}) : Strings{"ScatterND"});
  }
}

// As PyTorch's newer exporter writes it, along the first axis of what it turned.
TEST(SliceWrites, OfATurnedValue) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", {-1, kRows, kDim});
  addInput(proto, "z", {-1, kRows, 2});
  addTranspose(proto, "x", {2, 1, 0}, "data");
  addTranspose(proto, "z", {2, 1, 0}, "updates");
  addRange(proto, "places", {2, 1}, 3);
  addNode(proto, "ScatterND", {"data", "places", "updates"}, {"turned"});
  addTranspose(proto, "turned", {2, 1, 0}, "y");
  addOutput(proto, "y");
  EXPECT_EQ(typesOfSliced(proto, {{2, kRows, kDim}, {2, kRows, 2}}),
            (Strings{"Slice", "Concat", "Transpose", "Transpose"}));
}

TEST(SliceWrites, OfOtherSizesThanTheirPlacesStay) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {1, 1, kDim});
  addInput(proto, "z", {1, 1, 3});
  *proto.mutable_graph()->add_initializer() =
      onnx::integerTensor("places", {1, 1, 2, 3}, {0, 0, 1, 0, 0, 2});
  addNode(proto, "ScatterND", {"x", "places", "z"}, {"y"});
  addOutput(proto, "y");
  Model model{std::move(proto)};
  const onnx::Values values(model);
  onnx::spellSliceWrites(model, values, values);
  EXPECT_EQ(typesOf(model), Strings{"ScatterND"});
}

// "x" [batch, 3, 5] with "z" [batch, rows, 5] written from one row on, where a row's number is
// spread over the others' dims.
ModelProto elementsOf(std::int64_t rows, const Integers& numbers, const char* reduction = "none") {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", {-1, kRows, kDim});
  addInput(proto, "z", {-1, rows, kDim});
  *proto.mutable_graph()->add_initializer() =
      onnx::integerTensor("row", {static_cast<std::int64_t>(numbers.size()), 1}, numbers);
  addNode(proto, "Shape", {"z"}, {"sizes"});
  addNode(proto, "Expand", {"row", "sizes"}, {"places"});
  auto& node = addNode(proto, "ScatterElements", {"x", "places", "z"}, {"y"});
  setAttribute(node, "axis", std::int64_t{1});
  setAttribute(node, "reduction", std::string(reduction));
  addOutput(proto, "y");
  return proto;
}

TEST(SliceWrites, OfElementsThatAreWholeRows) {
  const auto types = [](const ModelProto& proto, std::int64_t rows) {
    return typesOfSliced(proto, {{2, kRows, kDim}, {2, rows, kDim}});
  };
  EXPECT_EQ(types(elementsOf(1, {0}), 1), (Strings{"Slice", "Concat"}));
  EXPECT_EQ(types(elementsOf(1, {1}), 1), (Strings{"Slice", "Slice", "Concat"}));
  EXPECT_EQ(types(elementsOf(1, {-1}), 1), (Strings{"Slice", "Concat"}));
  EXPECT_EQ(types(elementsOf(2, {1, 2}), 2), (Strings{"Slice", "Concat"}));
  EXPECT_EQ(types(elementsOf(2, {2, 1}), 2).back(), "ScatterElements");
  EXPECT_EQ(types(elementsOf(2, {1}), 2).back(), "ScatterElements");  // one row twice
  EXPECT_EQ(types(elementsOf(1, {0}, "add"), 1).back(), "ScatterElements");
}

TEST(SliceWrites, OfElementsWithAConstantForEach) {
  for (const bool isWhole : {true, false}) {
    auto proto = emptyModel();
    proto.mutable_opset_import(0)->set_version(18);
    addInput(proto, "x", {1, kRows, kDim});
    addInput(proto, "z", {1, 2, kDim});
    Integers places;
    for (std::int64_t i = 0; i < 2 * kDim; ++i) places.push_back(1 + i / kDim);
    if (!isWhole) std::swap(places.front(), places.back());
    *proto.mutable_graph()->add_initializer() = onnx::integerTensor("places", {1, 2, kDim}, places);
    setAttribute(addNode(proto, "ScatterElements", {"x", "places", "z"}, {"y"}), "axis",
                 std::int64_t{-2});
    addOutput(proto, "y");
    EXPECT_EQ(typesOfSliced(proto, {{1, kRows, kDim}, {1, 2, kDim}}),
              isWhole ? (Strings{"Slice", "Concat"}) : Strings{"ScatterElements"});
  }
}

// Which of them it is for another number of images, nothing says.
TEST(SliceWrites, OfAnImageStay) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, kRows, kDim});
  addInput(proto, "z", {1, kRows, kDim});
  addRange(proto, "places", {1, 1}, 0);
  addNode(proto, "ScatterND", {"x", "places", "z"}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(typesOfSliced(proto, {{2, kRows, kDim}, {1, kRows, kDim}}), Strings{"ScatterND"});
}

}  // namespace
}  // namespace mpm::test
