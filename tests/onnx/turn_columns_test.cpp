// SPDX-License-Identifier: Apache-2.0
// Linear layers that people write as convolutions of one column: the same, of rows.
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

// A convolution over columns of 4 features.
struct Projection {
  std::int64_t out = 6, width = 1, group = 1, stride = 1;
  bool hasBias = true;
};

void addProjection(ModelProto& proto, const std::string& from, const std::string& to,
                   const Projection& part = {}, std::int64_t in = 4) {
  addSome(proto, to + "_weight", {part.out, in / part.group, part.width}, -0.2F);
  Strings inputs{from, to + "_weight"};
  if (part.hasBias) inputs.push_back(to + "_bias");
  if (part.hasBias) addSome(proto, to + "_bias", {part.out});
  auto& conv = addNode(proto, "Conv", inputs, {to});
  setAttribute(conv, "kernel_shape", Integers{part.width});
  setAttribute(conv, "group", part.group);
  setAttribute(conv, "strides", Integers{part.stride});
}

ModelProto rowsModel() {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, 5, 4});
  return proto;
}

// The same with planes of one column, which the interpreter convolves.
ModelProto withPlanes(const ModelProto& proto) {
  ModelProto made = proto;
  const auto isOfPlanes = [&](const std::string& weight) {
    const auto& all = proto.graph().initializer();
    return std::any_of(all.begin(), all.end(), [&](const auto& each) {
      return each.name() == weight && each.dims_size() == 4;
    });
  };
  made.mutable_graph()->clear_node();
  addIntegers(made, "last_axis", {3});
  for (const auto& node : proto.graph().node()) {
    auto& added = *made.mutable_graph()->add_node();
    added = node;
    if (node.op_type() != "Conv" || isOfPlanes(node.input(1))) continue;
    const std::string columns = node.output(0);
    added.set_op_type("Unsqueeze");
    added.clear_attribute();
    added.clear_input();
    for (const std::string& input : {node.input(0), std::string("last_axis")})
      added.add_input(input);
    added.set_output(0, columns + "_planes");
    Strings inputs(node.input().begin(), node.input().end());
    inputs.front() = columns + "_planes";
    auto& conv = addNode(made, "Conv", inputs, {columns + "_convolved"});
    setAttribute(conv, "kernel_shape", Integers{1, 1});
    addNode(made, "Squeeze", {columns + "_convolved", "last_axis"}, {columns});
    for (auto& weight : *made.mutable_graph()->mutable_initializer()) {
      if (weight.name() == node.input(1)) weight.add_dims(1);
    }
  }
  return made;
}

Strings typesOfTurned(ModelProto proto, const Strings& outputs = {"y"}) {
  for (const std::string& output : outputs) addOutput(proto, output);
  Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::turnColumns(model, [&](const std::string& value) { return values.dims(value); });
  return typesOf(model);
}

// The nodes' types then, after it gave what the model gives.
Strings typesOfSameTurned(ModelProto proto, const Strings& outputs = {"y"}) {
  const Integers dims{2, 5, 4};
  const Strings types = typesOfTurned(proto, outputs);
  for (const std::string& output : outputs) addOutput(proto, output);
  const Model before{withPlanes(proto)};
  Model after{ModelProto(proto)};
  const onnx::Values values(after);
  onnx::turnColumns(after, [&](const std::string& value) { return values.dims(value); });
  expectSameResult(before, after, {dims});
  return types;
}

ModelProto turnedBack(const Projection& part) {
  auto proto = rowsModel();
  addTranspose(proto, "x", {0, 2, 1}, "columns");
  addProjection(proto, "columns", "projected", part);
  addTranspose(proto, "projected", {0, 2, 1}, "y");
  return proto;
}

TEST(TurnColumns, ALinearLayer) {
  EXPECT_EQ(typesOfSameTurned(turnedBack({})), (Strings{"MatMul", "Add"}));
  EXPECT_EQ(typesOfSameTurned(turnedBack({.hasBias = false})), (Strings{"MatMul"}));
}

TEST(TurnColumns, OtherConvolutionsStay) {
  const Strings same{"Transpose", "Conv", "Transpose"};
  EXPECT_EQ(typesOfTurned(turnedBack({.width = 3})), same);
  EXPECT_EQ(typesOfTurned(turnedBack({.group = 2})), same);
  EXPECT_EQ(typesOfTurned(turnedBack({.stride = 2})), same);
}

TEST(TurnColumns, AnMlp) {
  auto proto = rowsModel();
  addTranspose(proto, "x", {0, 2, 1}, "columns");
  addProjection(proto, "columns", "first");
  addNode(proto, "Sigmoid", {"first"}, {"gate"});
  addNode(proto, "Mul", {"first", "gate"}, {"bent"});
  addSome(proto, "slopes", {6, 1});
  addNode(proto, "Mul", {"bent", "slopes"}, {"scaled"});
  addNumber(proto, "two", 2);
  addNode(proto, "Add", {"scaled", "two"}, {"shifted"});
  addProjection(proto, "shifted", "last", {.out = 4}, 6);
  addTranspose(proto, "last", {0, 2, 1}, "y");
  EXPECT_EQ(typesOfSameTurned(proto),
            (Strings{"MatMul", "Add", "Sigmoid", "Mul", "Mul", "Add", "MatMul", "Add"}));
}

TEST(TurnColumns, WhatOthersReadIsColumnsStill) {
  auto proto = rowsModel();
  addTranspose(proto, "x", {0, 2, 1}, "columns");
  addProjection(proto, "columns", "projected");
  addReshape(proto, "projected", {0, 2, 3, 5}, "y");
  EXPECT_EQ(typesOfSameTurned(proto), (Strings{"MatMul", "Add", "Transpose", "Reshape"}));
}

TEST(TurnColumns, ThatAreTurnedBackSeveralTimesAndGiven) {
  auto proto = rowsModel();
  addTranspose(proto, "x", {0, 2, 1}, "columns");
  addProjection(proto, "columns", "projected");
  addTranspose(proto, "projected", {0, 2, 1}, "a");
  addTranspose(proto, "projected", {0, 2, 1}, "b");
  EXPECT_EQ(typesOfSameTurned(proto, {"b", "projected", "a"}),
            (Strings{"MatMul", "Add", "Transpose", "Identity"}));
}

TEST(TurnColumns, FunctionsWithVectorsAlongRowsStay) {
  auto proto = rowsModel();
  addTranspose(proto, "x", {0, 2, 1}, "columns");
  addProjection(proto, "columns", "projected");
  addSome(proto, "positions", {5});
  addNode(proto, "Mul", {"projected", "positions"}, {"placed"});
  addTranspose(proto, "placed", {0, 2, 1}, "y");
  EXPECT_EQ(typesOfSameTurned(proto), (Strings{"MatMul", "Add", "Transpose", "Mul", "Transpose"}));
}

// A stream of columns [batch, 4, 5], or of planes [batch, 4, 5, 1], its norm and a layer, and a
// softmax somewhere.
ModelProto stream(std::size_t rank, bool attends, bool looksAround = false) {
  auto proto = rowsModel();
  addTranspose(proto, "x", {0, 2, 1}, "columns");
  addNode(proto, "Tanh", {"columns"}, {"bent"});
  addReshape(proto, "bent", rank == 3 ? Integers{-1, 4, 5} : Integers{-1, 4, 5, 1}, "stream");
  for (const char* name : {"mean", "power"}) {
    auto& sum = addNode(proto, "ReduceMean", {*name == 'm' ? "stream" : "square"}, {name});
    setAttribute(sum, "axes", Integers{1});
    if (*name == 'p') continue;
    addNode(proto, "Sub", {"stream", "mean"}, {"centred"});
    addNode(proto, "Mul", {"centred", "centred"}, {"square"});
  }
  addNode(proto, "Sqrt", {"power"}, {"deviation"});
  addNode(proto, "Div", {"centred", "deviation"}, {"unit"});
  Integers dims(rank, 1);
  dims[1] = 4;
  addSome(proto, "gain", dims);
  addNode(proto, "Mul", {"unit", "gain"}, {"normed"});
  addSome(proto, "weight", rank == 3 ? Integers{4, 4, 1} : Integers{4, 4, 1, 1});
  addNode(proto, "Conv", {"normed", "weight"}, {"branch"});
  addNode(proto, "Add", {"stream", "branch"}, {"sum"});
  if (looksAround) {
    auto& pool = addNode(proto, "MaxPool", {"sum"}, {"pooled"});
    setAttribute(pool, "kernel_shape", rank == 3 ? Integers{1} : Integers{1, 1});
  }
  addReshape(proto, looksAround ? "pooled" : "sum", {-1, 20}, "flat");
  if (attends) addNode(proto, "Softmax", {"flat"}, {"y"});
  if (!attends) addNode(proto, "Abs", {"flat"}, {"y"});
  return proto;
}

// How many convolutions there are left.
std::ptrdiff_t convolutionsOf(const Strings& types) {
  return std::count(types.begin(), types.end(), "Conv");
}

TEST(TurnColumns, AStreamWithItsNorms) {
  EXPECT_EQ(convolutionsOf(typesOfTurned(stream(3, true))), 0);
  EXPECT_EQ(convolutionsOf(typesOfSameTurned(stream(4, true))), 0);
  EXPECT_EQ(convolutionsOf(typesOfTurned(stream(4, false))), 1) << "nothing attends";
  EXPECT_EQ(convolutionsOf(typesOfTurned(stream(4, true, true))), 1) << "planes that are pooled";
}

// Networks of columns alone, as for points, are left to OpenCV.
TEST(TurnColumns, NothingThatNobodyTurned) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 4, 5});
  addProjection(proto, "x", "first");
  addNode(proto, "Relu", {"first"}, {"bent"});
  addProjection(proto, "bent", "y", {}, 6);
  EXPECT_EQ(typesOfTurned(proto), (Strings{"Conv", "Relu", "Conv"}));
}

}  // namespace
}  // namespace mpm::test
