// SPDX-License-Identifier: Apache-2.0
// What OpenCV 4.6 has to be told otherwise.
#include <gtest/gtest.h>

#include "onnx/graph/file.h"
#include "onnx/lower_case.h"
#include "onnx/recognise/activation.h"

namespace mpm::test {
namespace {

Integers integersRead(const Model& model, const onnx::Node& node, int i) {
  const auto constant = model.constant(node.input(i));
  return constant ? constant->integers() : Integers{-99};
}

TEST(OnnxLowerOpenCv, SplitsByAttribute) {
  auto proto = modelFromX({1, 5, 8});
  auto& node = addNode(proto, "Split", {"x"}, {"y", "z"});
  setAttribute(node, "axis", std::int64_t{1});
  setAttribute(node, "num_outputs", std::int64_t{2});
  const Model model = forOpenCv(std::move(proto));
  EXPECT_EQ(onnx::intsAttribute(*model.nodes()[0], "split"), (Integers{3, 2}));
  EXPECT_FALSE(onnx::findAttribute(*model.nodes()[0], "num_outputs"));
}

TEST(OnnxLowerOpenCv, SoftmaxHasItsAxisInWords) {
  auto proto = modelFromX({2, 5, 8});
  addNode(proto, "Softmax", {"x"}, {"y"});
  EXPECT_EQ(onnx::intAttribute(*forOpenCv(proto).nodes()[0], "axis"), -1);
  proto.mutable_opset_import(0)->set_version(12);
  const Model old = forOpenCv(proto);
  ASSERT_EQ(typesOf(old), (Strings{"Reshape", "Softmax", "Reshape"})) << "over two axes at once";
  EXPECT_EQ(integersRead(old, *old.nodes()[0], 1), (Integers{-1, 40}));
  EXPECT_EQ(integersRead(old, *old.nodes()[2], 1), (Integers{2, 5, 8}));
}

TEST(OnnxLowerOpenCv, EachConcatHasConstantsOfItsOwn) {
  auto proto = modelFromX({1, 2, 3});
  addConstant(proto, "c", {1, 1, 3}, {1, 2, 4});
  addNode(proto, "Concat", {"c", "x"}, {"a"});
  addNode(proto, "Concat", {"c", "a"}, {"y"});
  for (auto& node : *proto.mutable_graph()->mutable_node())
    setAttribute(node, "axis", std::int64_t{1});
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Concat", "Concat"}));
  EXPECT_NE(model.nodes()[0]->input(0), model.nodes()[1]->input(0));
  for (const auto* node : model.nodes()) {
    const auto constant = model.constant(node->input(0));
    ASSERT_TRUE(constant);
    EXPECT_EQ(constant->dims(), (Integers{1, 1, 3}));
  }
}

TEST(OnnxLowerOpenCv, WhatHasNoElementsIsNotJoined) {
  const auto typesFor = [](std::vector<std::string> inputs) {
    auto proto = modelFromX({1, 2, 3});
    addConstant(proto, "c", {1, 0, 3}, {});
    setAttribute(addNode(proto, "Concat", inputs, {"y"}), "axis", std::int64_t{1});
    const Model model = forOpenCv(std::move(proto));
    return std::pair(typesOf(model), model.nodes()[0]->input_size());
  };
  EXPECT_EQ(typesFor({"x", "c", "x"}), std::pair(Strings{"Concat"}, 2));
  EXPECT_EQ(typesFor({"x", "c"}), std::pair(Strings{"Identity"}, 1));
}

TEST(OnnxLowerOpenCv, ASliceOfNothingIsNotJoined) {
  auto proto = modelFromX({1, 2, 3});
  for (const char* name : {"begin", "end"}) addIntegerConstant(proto, name, {0});
  addIntegerConstant(proto, "axis", {2});
  addNode(proto, "Slice", {"x", "begin", "end", "axis"}, {"none"});
  setAttribute(addNode(proto, "Concat", {"x", "none"}, {"y"}), "axis", std::int64_t{2});
  Model model = forOpenCv(std::move(proto));
  model.removeDead();
  EXPECT_EQ(typesOf(model), Strings{"Identity"});
}

TEST(OnnxLowerOpenCv, PadsEveryAxis) {
  auto proto = modelFromX({1, 4, 6, 8});
  addIntegerConstant(proto, "pads", {1, 2, 3, 4});
  addIntegerConstant(proto, "axes", {-2, 3});
  addNode(proto, "Pad", {"x", "pads", "", "axes"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(model.nodes()[0]->input_size(), 2);
  EXPECT_EQ(integersRead(model, *model.nodes()[0], 1), (Integers{0, 0, 1, 2, 0, 0, 3, 4}));
}

// x * 0.5 * (1 + erf(x / c)), in any order that it may be written in; `gate` instead of 0.5.
ModelProto geluProto(const Strings& shifted, const Strings& inner, const Strings& outer) {
  auto proto = modelFromX({2, 3});
  addInput(proto, "gate", {2, 3});
  addScalar(proto, "root", 1.41421356F);
  addScalar(proto, "one", 1);
  addScalar(proto, "half", 0.5F);
  addNode(proto, "Div", {"x", "root"}, {"quotient"});
  addNode(proto, "Erf", {"quotient"}, {"erf"});
  addNode(proto, "Add", shifted, {"shifted"});
  addNode(proto, "Mul", inner, {"inner"});
  addNode(proto, "Mul", outer, {"y"});
  return proto;
}

TEST(OnnxLowerOpenCv, ConstantsOfAGeluStandSecond) {
  const Model model = forOpenCv(geluProto({"one", "erf"}, {"shifted", "x"}, {"half", "inner"}));
  EXPECT_EQ(typesOf(model), (Strings{"Div", "Erf", "Add", "Mul", "Mul"}));
  EXPECT_EQ(model.producer("shifted")->input(1), "one");
  EXPECT_EQ(model.producer("y")->input(1), "half");
  const Model own = forOpenCv(geluProto({"erf", "one"}, {"x", "shifted"}, {"inner", "half"}));
  EXPECT_EQ(typesOf(own), typesOf(model));
}

TEST(OnnxLowerOpenCv, WhatLooksLikeAGeluIsPutApart) {
  const Strings apart = {"Div", "Erf", "Add", "Mul", "Identity", "Mul"};
  for (const Strings& outer :
       {Strings{"x", "inner"}, Strings{"inner", "x"}, Strings{"gate", "inner"}}) {
    const Model model = forOpenCv(geluProto({"erf", "one"}, {"half", "shifted"}, outer));
    EXPECT_EQ(typesOf(model), apart);
  }
  const Model other = forOpenCv(geluProto({"erf", "one"}, {"gate", "shifted"}, {"inner", "half"}));
  EXPECT_EQ(typesOf(other), apart) << "its erf is of another value";
  const Model computed = forOpenCv(geluProto({"gate", "erf"}, {"x", "shifted"}, {"inner", "half"}));
  EXPECT_EQ(typesOf(computed), (Strings{"Div", "Erf", "Identity", "Add", "Mul", "Mul"}));
}

TEST(OnnxLowerOpenCv, WhatLooksLikeAGeluByTanhIsPutApart) {
  auto proto = modelFromX({2, 3});
  for (const char* name : {"slope", "bend", "one", "half"}) addScalar(proto, name, 0.5F);
  addNode(proto, "Mul", {"x", "x"}, {"square"});
  addNode(proto, "Mul", {"x", "square"}, {"cube"});
  addNode(proto, "Mul", {"cube", "bend"}, {"bent"});
  addNode(proto, "Add", {"x", "bent"}, {"sum"});
  addNode(proto, "Mul", {"sum", "slope"}, {"inner"});
  addNode(proto, "Tanh", {"inner"}, {"tanh"});
  addNode(proto, "Add", {"tanh", "one"}, {"shifted"});
  addNode(proto, "Mul", {"x", "shifted"}, {"product"});
  addNode(proto, "Mul", {"product", "half"}, {"y"});
  EXPECT_EQ(typesOf(forOpenCv(std::move(proto))),
            (Strings{"Mul", "Mul", "Mul", "Add", "Mul", "Identity", "Tanh", "Add", "Mul", "Mul"}));
}

TEST(OnnxLowerOpenCv, WhatLooksLikeACeluIsPutApart) {
  auto proto = modelFromX({2, 3});
  addScalar(proto, "two", 2);
  addNode(proto, "Div", {"x", "two"}, {"quotient"});
  addNode(proto, "Elu", {"quotient"}, {"elu"});
  addNode(proto, "Mul", {"two", "elu"}, {"y"});
  EXPECT_EQ(typesOf(forOpenCv(std::move(proto))), (Strings{"Div", "Identity", "Elu", "Mul"}));
}

TEST(OnnxLowerOpenCv, WhatLooksLikeASoftplusIsPutApart) {
  const auto typesFor = [](float shift, const std::string& shifted) {
    auto proto = modelFromX({2, 3});
    addScalar(proto, "shift", shift);
    addNode(proto, "Exp", {"x"}, {"exp"});
    addNode(proto, "Add", {"exp", shifted}, {"sum"});
    addNode(proto, "Log", {"sum"}, {"y"});
    return typesOf(forOpenCv(std::move(proto)));
  };
  const Strings apart = {"Exp", "Add", "Identity", "Log"};
  EXPECT_EQ(typesFor(1, "shift"), (Strings{"Exp", "Add", "Log"})) << "it is one";
  EXPECT_EQ(typesFor(2, "shift"), apart);
  EXPECT_EQ(typesFor(1, "x"), apart);
}

TEST(OnnxLowerOpenCv, GatesArePutApartFromTheirFunctions) {
  const auto typesFor = [](const Strings& functions, const Strings& outer) {
    auto proto = modelFromX({2, 3});
    addInput(proto, "other", {2, 3});
    std::string value = "x";
    for (const std::string& function : functions) {
      addNode(proto, function, {value}, {"of_" + function});
      value = "of_" + function;
    }
    Strings inputs;
    for (const std::string& each : outer) inputs.push_back(each == "gate" ? value : each);
    addNode(proto, "Mul", inputs, {"y"});
    return typesOf(forOpenCv(std::move(proto)));
  };
  for (const Strings& functions : {Strings{"HardSigmoid"}, Strings{"Softplus", "Tanh"}}) {
    SCOPED_TRACE(functions[0]);
    Strings own = functions, apart = functions;
    own.push_back("Mul");
    apart.insert(apart.end(), {"Identity", "Mul"});
    for (const Strings& outer : {Strings{"x", "gate"}, Strings{"gate", "x"}})
      EXPECT_EQ(typesFor(functions, outer), own) << "HardSwish and Mish themselves";
    for (const Strings& outer : {Strings{"other", "gate"}, Strings{"gate", "other"}})
      EXPECT_EQ(typesFor(functions, outer), apart);
  }
}

TEST(OnnxLowerOpenCv, AThirdPowerIsPutApartFromWhatItLooksLike) {
  auto proto = modelFromX({2, 3});
  addScalar(proto, "root", 1.4F);
  addScalar(proto, "one", 1);
  addScalar(proto, "three", 3);
  addNode(proto, "Div", {"x", "root"}, {"quotient"});
  addNode(proto, "Erf", {"quotient"}, {"erf"});
  addNode(proto, "Add", {"erf", "one"}, {"sum"});
  addNode(proto, "Pow", {"sum", "three"}, {"y"});
  EXPECT_EQ(typesOf(forOpenCv(std::move(proto))),
            (Strings{"Div", "Erf", "Add", "Mul", "Identity", "Mul"}));
}

TEST(OnnxLowerOpenCv, ANumberOverAValueIsPutApartFromWhatFollows) {
  for (const Integers& dims : {Integers{}, Integers{1}, Integers{1, 1}}) {
    auto proto = modelFromX({2, 3});
    addConstant(proto, "number", dims, {2});
    addNode(proto, "Div", {"number", "x"}, {"quotient"});
    addNode(proto, "Sub", {"quotient", "number"}, {"y"});
    EXPECT_EQ(typesOf(forOpenCv(std::move(proto))), (Strings{"Div", "Identity", "Sub"}));
  }
}

TEST(OnnxLowerOpenCv, ConstantsHaveNoLeadingOnes) {
  auto proto = modelFromX({2, 2, 3});
  addConstant(proto, "c", {1, 1, 3}, {1, 2, 4});
  addNode(proto, "Add", {"c", "x"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  const auto* add = model.producer("y");
  EXPECT_EQ(add->input(1), "x");
  EXPECT_EQ(model.constant(add->input(0))->dims(), Integers{3});
}

TEST(OnnxLowerOpenCv, WhatIsAddedAlongAnotherAxisIsPutApartFromAConvolution) {
  const auto typesFor = [](const Integers& dims, std::size_t count) {
    auto proto = modelFromX({-1, 4, 4, 4});
    addConstant(proto, "weight", {4, 4, 1, 1}, std::vector<float>(16, 0.5F));
    addConstant(proto, "factor", {}, {2});
    addConstant(proto, "c", dims, std::vector<float>(count, 1.5F));
    addNode(proto, "Conv", {"x", "weight"}, {"planes"});
    addNode(proto, "Mul", {"planes", "factor"}, {"scaled"});
    addNode(proto, "Sub", {"c", "scaled"}, {"y"});
    return typesOf(forOpenCv(std::move(proto)));
  };
  const Strings apart = {"Conv", "Mul", "Reshape", "Sub", "Reshape"};
  EXPECT_EQ(typesFor({4}, 4), apart);
  EXPECT_EQ(typesFor({1, 1, 4}, 4), apart);
  EXPECT_EQ(typesFor({4, 1, 1}, 4), (Strings{"Conv", "Mul", "Sub"})) << "a bias";
}

TEST(OnnxLowerOpenCv, OneNumberOfSeveralDimsIsAnElementAlone) {
  auto proto = modelFromX({2, 3, 4});
  addConstant(proto, "c", {1, 1, 1}, {2});
  addNode(proto, "Add", {"c", "x"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  EXPECT_LE(model.constant(model.producer("y")->input(0))->dims().size(), 1U);
}

TEST(OnnxLowerOpenCv, ZerosOfAReshapeBehindItsBatchAreSizes) {
  auto proto = modelFromX({-1, 3, -1, 5});
  *proto.mutable_graph()->add_initializer() = onnx::integerTensor("target", {4}, {0, 0, 0, 5});
  addNode(proto, "Reshape", {"x", "target"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  EXPECT_EQ(integersRead(model, *model.producer("y"), 1), (Integers{0, 3, 0, 5}));
}

TEST(OnnxLowerOpenCv, FactorsOfTheLastAxisMeetRows) {
  for (const char* type : {"Mul", "Div"}) {
    SCOPED_TRACE(type);
    auto proto = modelFromX({-1, 2, 3});
    addConstant(proto, "c", {1, 1, 3}, {1, 2, 4});
    addNode(proto, type, {"x", "c"}, {"y"});
    const Model model = forOpenCv(std::move(proto));
    ASSERT_EQ(typesOf(model), (Strings{"Reshape", "Mul", "Reshape"}));
    EXPECT_EQ(integersRead(model, *model.nodes()[0], 1), (Integers{-1, 3}));
    EXPECT_EQ(integersRead(model, *model.nodes()[2], 1), (Integers{-1, 2, 3}));
    EXPECT_EQ(floatsRead(model, "Mul", 1)[2], type == std::string("Mul") ? 4 : 0.25F);
  }
}

TEST(OnnxLowerOpenCv, ScalarFunctionsStayTheSame) {
  auto proto = modelFromX({2, 5, 8});
  addScalar(proto, "two", 2);
  addScalar(proto, "three", 3);
  addScalar(proto, "half", 0.5F);
  addNode(proto, "Pow", {"x", "three"}, {"a"});
  addNode(proto, "Pow", {"a", "two"}, {"b"});
  addNode(proto, "Pow", {"b", "half"}, {"c"});
  addNode(proto, "Gelu", {"c"}, {"y"});
  const Model model = forOpenCv(proto);
  for (const auto& type : typesOf(model)) EXPECT_TRUE(type != "Pow" && type != "Gelu") << type;
  const Model original(std::move(proto));
  for (const double x : {-1.5, -0.2, 0.7, 1.1}) {
    const auto expected = onnx::ScalarFunction(original, "y").at("x", x);
    const auto computed = onnx::ScalarFunction(model, "y").at("x", x);
    ASSERT_TRUE(expected && computed);
    EXPECT_NEAR(*computed, *expected, 1e-6);
  }
}

TEST(OnnxLowerOpenCv, BoundsAreAttributes) {
  auto proto = modelFromX({2, 5, 8});
  addScalar(proto, "low", -1);
  addScalar(proto, "high", 2);
  addNode(proto, "Clip", {"x", "low", "high"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), Strings{"Clip"});
  EXPECT_EQ(model.nodes()[0]->input_size(), 1);
  EXPECT_EQ(onnx::floatAttribute(*model.nodes()[0], "max"), 2.0F);
  EXPECT_EQ(onnx::floatAttribute(*model.nodes()[0], "min"), -1.0F);
}

TEST(OnnxLowerOpenCv, WhatPassesValuesOnGoes) {
  auto proto = modelFromX({2, 5, 8});
  addScalar(proto, "ratio", 0.5F);
  addNode(proto, "Identity", {"x"}, {"a"});
  addNode(proto, "Relu", {"a"}, {"b"});
  addNode(proto, "Dropout", {"b", "ratio"}, {"y", "mask"});
  proto.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  const Model model = forOpenCv(std::move(proto));
  EXPECT_EQ(typesOf(model), Strings{"Relu"});
  EXPECT_TRUE(model.isOutput("y"));
  EXPECT_EQ(model.producer("y")->input(0), "x");
  EXPECT_TRUE(model.outputs()[0].hasShape) << "the importer asks for one";
  const std::string bytes = onnx::writeModel(model);
  EXPECT_NO_THROW(onnx::readModel(bytes.data(), bytes.size()));
}

}  // namespace
}  // namespace mpm::test
