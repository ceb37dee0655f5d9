// SPDX-License-Identifier: Apache-2.0
// What a graph says of itself, and how it is changed.
#include "onnx/graph/model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/tensor.h"
#include "onnx/graph_text.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using onnx::Edit;
using onnx::Model;

Strings typesOf(const Model& model) {
  Strings types;
  for (const auto* each : model.nodes()) types.push_back(each->op_type());
  return types;
}

// An If whose branch reads "captured" and a value of its own.
onnx::Node& addIf(::onnx::ModelProto& proto, const std::string& condition) {
  auto& node = addNode(proto, "If", {condition}, {"either"});
  auto* branch = node.add_attribute();
  branch->set_name("then_branch");
  auto* inner = branch->mutable_g()->add_node();
  inner->set_op_type("Add");
  for (const char* input : {"captured", "own"}) inner->add_input(input);
  return node;
}

TEST(Model, DescribesItsEnds) {
  auto proto = linearModel();
  proto.set_producer_name("exporter");
  Model model(std::move(proto));
  const auto image = model.info("image");
  ASSERT_TRUE(image && image->hasShape);
  EXPECT_EQ(image->dims[0].symbol, "batch");
  EXPECT_EQ(image->dims[1].size, 4);
  EXPECT_EQ(image->type, ::onnx::TensorProto::FLOAT);
  EXPECT_FALSE(model.outputs()[0].hasShape);
  EXPECT_FALSE(model.info("nothing"));
  EXPECT_EQ(model.producerName(), "exporter");
  EXPECT_EQ(model.opset("ai.onnx"), 17);
  EXPECT_EQ(model.opset("mpm"), 0);
  model.importOpset("mpm", 1);
  EXPECT_EQ(model.opset("mpm"), 1);
  model.setMetadata("mpm.mean", "0.5");
  model.setMetadata("mpm.mean", "0.4");
  EXPECT_EQ(model.metadata(), (std::map<std::string, std::string>{{"mpm.mean", "0.4"}}));
  EXPECT_EQ(model.unusedName("map"), "map");
  EXPECT_EQ(model.unusedName("weight"), "weight_1");
}

TEST(Model, TakesEveryKindOfConstant) {
  auto proto = linearModel();
  proto.set_ir_version(3);
  addInput(proto, "weight", {4, 2});  // which only declares a constant
  addNode(proto, "Constant", {}, {"i"}).add_attribute()->set_name("value_int");
  addNode(proto, "Constant", {}, {"f"}).add_attribute()->set_name("value_float");
  auto* ints = addNode(proto, "Constant", {}, {"is"}).add_attribute();
  ints->set_name("value_ints");
  ints->add_ints(-3);
  auto* floats = addNode(proto, "Constant", {}, {"fs"}).add_attribute();
  floats->set_name("value_floats");
  floats->add_floats(1.5f);
  addNode(proto, "Constant", {}, {"text"}).add_attribute()->set_name("value_string");
  const Model model(std::move(proto));
  EXPECT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(model.constant("bias")->floats()[1], -0.5f);
  EXPECT_EQ(model.constant("weight")->dims(), (std::vector<std::int64_t>{4, 2}));
  EXPECT_FALSE(model.constant("image"));
  EXPECT_EQ(model.constant("i")->integers(), std::vector<std::int64_t>{0});
  EXPECT_TRUE(model.constant("i")->dims().empty());
  EXPECT_EQ(model.constant("f")->floats().size(), 1u);
  EXPECT_EQ(model.constant("is")->integers(), std::vector<std::int64_t>{-3});
  EXPECT_EQ(model.constant("fs")->floats()[0], 1.5f);
  EXPECT_NE(model.producer("text"), nullptr);
}

TEST(Model, KnowsWhoMakesAndReadsAValue) {
  auto proto = graph("x[1]\nc = Add(a, b)\nb = Relu(x)\na = Relu(x)\nd = Mul(b, b)\nout c");
  addConstant(proto, "captured", {1}, {1});
  addIf(proto, "x");
  const Model model(std::move(proto));
  EXPECT_EQ(model.producer("b")->op_type(), "Relu");
  EXPECT_EQ(model.producer("x"), nullptr);
  EXPECT_EQ(model.consumers("b").size(), 2u);  // Add, and Mul once
  EXPECT_TRUE(model.consumers("c").empty());
  EXPECT_TRUE(model.isOutput("c") && model.isInput("x"));
  EXPECT_EQ(model.consumers("captured").size(), 1u) << "by a subgraph";
  EXPECT_EQ(typesOf(model), (Strings{"Relu", "Relu", "Add", "Mul", "If"})) << "producers first";
}

TEST(Model, ReadsAttributes) {
  auto proto = graph("x[1]\ng = Gather(x, [0]) axis=1 perm=[1, 0] alpha=0.5 mode='linear'");
  const onnx::Node& node = proto.graph().node(0);
  EXPECT_EQ(onnx::intAttribute(node, "axis"), 1);
  EXPECT_EQ(onnx::intsAttribute(node, "perm"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(onnx::floatAttribute(node, "alpha"), 0.5f);
  EXPECT_EQ(onnx::stringAttribute(node, "mode"), "linear");
  EXPECT_FALSE(onnx::intAttribute(node, "none"));
  try {
    onnx::intAttribute(node, "perm");
    FAIL();
  } catch (const onnx::ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "node 'g_node' ('Gather'): its attribute 'perm' should be one integer");
  }
}

onnx::Node nodeOf(const std::string& type, const Strings& inputs, const std::string& output) {
  ::onnx::ModelProto proto;
  return addNode(proto, type, inputs, {output});
}

TEST(ModelEdit, ReplacesNodesByOthers) {
  auto proto = linearModel();
  addNode(proto, "Relu", {"scores"}, {"positive"});
  Model model(std::move(proto));
  const auto* relu = model.producer("positive");
  Edit edit;
  edit.remove = {model.producer("product"), model.producer("scores")};
  edit.add.push_back(nodeOf("Linear", {"image", "both"}, "scores"));
  edit.constants.push_back(onnx::integerTensor("both", {2}, {1, 2}));
  model.apply(std::move(edit));
  EXPECT_EQ(typesOf(model), (Strings{"Linear", "Relu"}));
  EXPECT_EQ(model.producer("positive"), relu) << "other nodes keep their address";
  EXPECT_EQ(model.producer("product"), nullptr);
  EXPECT_EQ(model.constant("both")->integers()[1], 2);
}

TEST(ModelEdit, RefusesWhatWouldBreakTheGraphAndChangesNothing) {
  Model model(linearModel());
  const std::string before = model.proto().SerializeAsString();
  std::vector<Edit> wrong(5);
  wrong[0].remove = {model.producer("product")};
  wrong[1].add.push_back(nodeOf("Relu", {"image"}, "product"));
  wrong[2].constants.push_back(onnx::integerTensor("new", {3}, {1}));
  wrong[3].redirect = {{"scores", "product"}};
  wrong[4].redirect = {{"image", "product"}, {"product", "image"}};
  for (Edit& edit : wrong) EXPECT_THROW(model.apply(std::move(edit)), onnx::ModelError);
  EXPECT_EQ(model.proto().SerializeAsString(), before);
  EXPECT_EQ(model.producer("product")->op_type(), "MatMul");
}

TEST(ModelEdit, RedirectsReadersAndRemovesWhatIsDead) {
  auto proto = graph(
      "x[1]\na = Relu(x)\nb = Identity(a)\ncaptured = Identity(b)\nlast = Relu(captured)\ndead = "
      "Neg(x)\nout last");
  addConstant(proto, "unused", {1}, {1});
  addIf(proto, "x");
  addOutput(proto, "either");
  Model model(std::move(proto));
  Edit edit;
  edit.redirect = {{"captured", "b"}, {"b", "a"}};
  model.apply(std::move(edit));
  EXPECT_EQ(model.producer("last")->input(0), "a");
  EXPECT_EQ(model.producer("either")->attribute(0).g().node(0).input(0), "a");
  EXPECT_EQ(model.removeDead(), 3);
  EXPECT_EQ(typesOf(model), (Strings{"Relu", "Relu", "If"}));
  EXPECT_FALSE(model.constant("unused"));
  EXPECT_EQ(model.removeDead(), 0);
}

TEST(ModelEdit, AddsOutputsInFrontOfTheLast) {
  Model model(linearModel());
  onnx::Value value{"product", ::onnx::TensorProto::FLOAT, true, {{-1, "batch"}, {2, ""}}};
  model.addOutput(value);
  model.addOutput(value);
  ASSERT_EQ(model.outputs().size(), 2u);
  EXPECT_EQ(model.outputs()[0].name, "product");
  EXPECT_EQ(model.outputs()[0].dims[0].symbol, "batch");
  EXPECT_EQ(model.outputs()[0].dims[1].size, 2);
  value.name = "nothing";
  EXPECT_THROW(model.addOutput(value), onnx::ModelError);
}

}  // namespace
}  // namespace mpm::test
