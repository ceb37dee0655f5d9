// SPDX-License-Identifier: Apache-2.0
// What a recogniser asks a model.
#include "onnx/graph/model.h"

#include <gtest/gtest.h>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using onnx::Model;

TEST(OnnxModel, DescribesItsEnds) {
  auto proto = linearModel();
  proto.set_producer_name("exporter");
  const Model model(std::move(proto));
  const auto image = model.info("image");
  ASSERT_TRUE(image && image->hasShape);
  ASSERT_EQ(image->dims.size(), 2u);
  EXPECT_FALSE(image->dims[0].isKnown());
  EXPECT_EQ(image->dims[0].symbol, "batch");
  EXPECT_EQ(image->dims[1].size, 4);
  EXPECT_EQ(image->type, ::onnx::TensorProto::FLOAT);
  EXPECT_FALSE(model.outputs()[0].hasShape);
  EXPECT_FALSE(model.info("nothing"));
  EXPECT_EQ(model.producerName(), "exporter");
  EXPECT_EQ(model.irVersion(), 8);
  EXPECT_EQ(model.opset("ai.onnx"), 17);
  EXPECT_EQ(model.opset("mpm"), 0);
}

TEST(OnnxModel, TakesInitialisersAndConstantNodesAlike) {
  const Model model(linearModel());
  EXPECT_EQ(model.nodes().size(), 2u);
  EXPECT_EQ(model.producer("bias"), nullptr);
  ASSERT_TRUE(model.constant("bias") && model.constant("weight"));
  EXPECT_EQ(model.constant("bias")->floats()[1], -0.5f);
  EXPECT_EQ(model.constant("weight")->dims(), (std::vector<std::int64_t>{4, 2}));
  EXPECT_FALSE(model.constant("image"));
}

TEST(OnnxModel, TakesEveryKindOfConstantNode) {
  auto proto = linearModel();
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
  EXPECT_EQ(model.constant("i")->integers(), std::vector<std::int64_t>{0});
  EXPECT_TRUE(model.constant("i")->dims().empty());
  EXPECT_EQ(model.constant("f")->floats().size(), 1u);
  EXPECT_EQ(model.constant("is")->integers(), std::vector<std::int64_t>{-3});
  EXPECT_EQ(model.constant("fs")->floats()[0], 1.5f);
  EXPECT_NE(model.producer("text"), nullptr);
}

TEST(OnnxModel, DropsInputsThatOnlyDeclareAConstant) {
  auto proto = linearModel();
  proto.set_ir_version(3);
  addInput(proto, "weight", {4, 2});
  const Model model(std::move(proto));
  EXPECT_EQ(model.inputs().size(), 1u);
  EXPECT_TRUE(model.constant("weight"));
  EXPECT_EQ(model.irVersion(), 4);
}

TEST(OnnxModel, KnowsProducersAndConsumers) {
  auto proto = linearModel();
  addNode(proto, "Mul", {"product", "product"}, {"square"});
  const Model model(std::move(proto));
  EXPECT_EQ(model.producer("product")->op_type(), "MatMul");
  EXPECT_EQ(model.producer("image"), nullptr);
  EXPECT_EQ(model.consumers("product").size(), 2u);  // Add, and Mul once
  EXPECT_TRUE(model.consumers("scores").empty());
  EXPECT_TRUE(model.isOutput("scores") && model.isInput("image"));
}

TEST(OnnxModel, PutsProducersFirstAndKeepsTheOrderOtherwise) {
  auto proto = emptyModel();
  addInput(proto, "x", {1});
  addNode(proto, "Add", {"a", "b"}, {"c"});
  addNode(proto, "Relu", {"x"}, {"b"});
  addNode(proto, "Relu", {"x"}, {"a"});
  const Model model(std::move(proto));
  Strings order;
  for (const auto* node : model.nodes()) order.push_back(node->output(0));
  EXPECT_EQ(order, (Strings{"b", "a", "c"}));
  EXPECT_EQ(model.proto().graph().node(2).output(0), "c");
}

TEST(OnnxModel, CountsWhatASubgraphReadsAsInput) {
  auto proto = linearModel();
  addConstant(proto, "captured", {1}, {1});
  auto* branch = addNode(proto, "If", {"image"}, {"either"}).add_attribute();
  branch->set_name("then_branch");
  auto* inner = branch->mutable_g()->add_node();
  inner->set_op_type("Add");
  inner->add_input("captured");
  inner->add_input("own");  // the subgraph's business
  branch->mutable_g()->add_output()->set_name("later");
  addNode(proto, "Relu", {"image"}, {"later"});
  const Model model(std::move(proto));
  EXPECT_EQ(model.consumers("captured").size(), 1u);
  EXPECT_EQ(model.nodes().back()->op_type(), "If");
}

TEST(OnnxModel, ReadsAttributes) {
  auto proto = linearModel();
  auto& node = addNode(proto, "Gather", {"image", "weight"}, {"g"});
  onnx::setAttribute(node, "axis", std::int64_t{-2});
  onnx::setAttribute(node, "perm", std::vector<std::int64_t>{1, 0});
  onnx::setAttribute(node, "alpha", 0.5f);
  onnx::setAttribute(node, "mode", std::string("linear"));
  onnx::setAttribute(node, "axis", std::int64_t{1});
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

TEST(OnnxModel, HasMetadata) {
  Model model(linearModel());
  model.setMetadata("mpm.mean", "0.5");
  model.setMetadata("mpm.mean", "0.4");
  EXPECT_EQ(model.metadata(), (std::map<std::string, std::string>{{"mpm.mean", "0.4"}}));
}

}  // namespace
}  // namespace mpm::test
