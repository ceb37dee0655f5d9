// SPDX-License-Identifier: Apache-2.0
// Changing a graph.
#include <gtest/gtest.h>

#include <string>

#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/graph/tensor.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using onnx::Edit;
using onnx::Model;

onnx::Node nodeOf(const std::string& type, const Strings& inputs, const Strings& outputs) {
  onnx::Node made;
  made.set_op_type(type);
  for (const auto& input : inputs) made.add_input(input);
  for (const auto& output : outputs) made.add_output(output);
  return made;
}

Strings typesInOrder(const Model& model) {
  Strings types;
  for (const auto* each : model.nodes()) types.push_back(each->op_type());
  return types;
}

TEST(OnnxRewrite, ReplacesNodesByOthers) {
  auto proto = linearModel();
  addNode(proto, "Relu", {"scores"}, {"positive"});
  Model model(std::move(proto));
  const auto* relu = model.producer("positive");
  Edit edit;
  edit.remove = {model.producer("product"), model.producer("scores")};
  edit.add.push_back(nodeOf("Linear", {"image", "both"}, {"scores"}));
  edit.constants.push_back(onnx::integerTensor("both", {2}, {1, 2}));
  model.apply(std::move(edit));
  EXPECT_EQ(typesInOrder(model), (Strings{"Linear", "Relu"}));
  EXPECT_EQ(model.producer("positive"), relu) << "other nodes keep their address";
  EXPECT_EQ(model.producer("product"), nullptr);
  EXPECT_EQ(model.constant("both")->integers()[1], 2);
  EXPECT_TRUE(model.constant("weight"));
}

TEST(OnnxRewrite, RefusesWhatWouldBreakTheGraphAndChangesNothing) {
  Model model(linearModel());
  const std::string before = model.proto().SerializeAsString();
  Edit edit;
  edit.remove = {model.producer("product")};
  edit.constants.push_back(onnx::integerTensor("new", {1}, {1}));
  EXPECT_THROW(model.apply(std::move(edit)), onnx::ModelError);
  Edit twice;
  twice.add.push_back(nodeOf("Relu", {"image"}, {"product"}));
  EXPECT_THROW(model.apply(std::move(twice)), onnx::ModelError);
  Edit wrong;
  wrong.constants.push_back(onnx::integerTensor("new", {3}, {1}));
  EXPECT_THROW(model.apply(std::move(wrong)), onnx::ModelError);
  EXPECT_EQ(model.proto().SerializeAsString(), before);
  EXPECT_EQ(model.producer("product")->op_type(), "MatMul");
}

TEST(OnnxRewrite, RedirectsReaders) {
  auto proto = linearModel();
  addNode(proto, "Identity", {"product"}, {"same"});
  addNode(proto, "Identity", {"same"}, {"again"});
  addNode(proto, "Relu", {"again"}, {"last"});
  auto* branch = addNode(proto, "If", {"image"}, {"either"}).add_attribute();
  branch->set_name("then_branch");
  branch->mutable_g()->add_node()->add_input("again");
  Model model(std::move(proto));
  Edit edit;
  edit.redirect = {{"again", "same"}, {"same", "product"}};
  model.apply(std::move(edit));
  EXPECT_EQ(model.producer("last")->input(0), "product");
  EXPECT_EQ(model.producer("either")->attribute(0).g().node(0).input(0), "product");
  Edit output;
  output.redirect = {{"scores", "product"}};
  EXPECT_THROW(model.apply(std::move(output)), onnx::ModelError);
  Edit round;
  round.redirect = {{"same", "again"}, {"again", "same"}};
  EXPECT_THROW(model.apply(std::move(round)), onnx::ModelError);
}

TEST(OnnxRewrite, RemovesWhatIsDead) {
  auto proto = linearModel();
  addConstant(proto, "unused", {1}, {1});
  addConstant(proto, "captured", {1}, {1});
  addNode(proto, "Relu", {"product"}, {"a"});
  addNode(proto, "Relu", {"a"}, {"b"});
  addInput(proto, "other", {1});
  auto* branch = addNode(proto, "If", {"other"}, {"either"}).add_attribute();
  branch->set_name("then_branch");
  branch->mutable_g()->add_node()->add_input("captured");
  addOutput(proto, "either");
  proto.mutable_graph()->add_value_info()->set_name("a");
  proto.mutable_graph()->add_value_info()->set_name("product");
  Model model(std::move(proto));
  EXPECT_EQ(model.removeDead(), 2);
  EXPECT_EQ(typesInOrder(model), (Strings{"MatMul", "Add", "If"}));
  EXPECT_FALSE(model.constant("unused"));
  EXPECT_TRUE(model.constant("captured"));
  EXPECT_FALSE(model.info("a"));
  EXPECT_TRUE(model.info("product"));
  EXPECT_EQ(model.inputs().size(), 2u);
  EXPECT_EQ(model.removeDead(), 0);
}

TEST(OnnxRewrite, AddsOutputs) {
  Model model(linearModel());
  onnx::Value value{"product", ::onnx::TensorProto::FLOAT, true, {{-1, "batch"}, {2, ""}}};
  model.addOutput(value);
  model.addOutput(value);
  ASSERT_EQ(model.outputs().size(), 2u);
  EXPECT_EQ(model.outputs()[0].name, "product");  // the model's own stays the last
  EXPECT_EQ(model.outputs()[0].dims[0].symbol, "batch");
  EXPECT_EQ(model.outputs()[0].dims[1].size, 2);
  EXPECT_TRUE(model.isOutput("product"));
  value.name = "nothing";
  EXPECT_THROW(model.addOutput(value), onnx::ModelError);
}

TEST(OnnxRewrite, ImportsOpsetsAndFindsFreeNames) {
  Model model(linearModel());
  model.importOpset("mpm", 1);
  EXPECT_EQ(model.opset("mpm"), 1);
  EXPECT_EQ(model.unusedName("map"), "map");
  EXPECT_EQ(model.unusedName("weight"), "weight_1");
  EXPECT_EQ(model.unusedName("image"), "image_1");
}

}  // namespace
}  // namespace mpm::test
