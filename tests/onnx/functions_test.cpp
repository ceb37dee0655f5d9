// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using onnx::Model;
using ::onnx::ModelProto;

FunctionProto& addFunction(ModelProto& model, const std::string& name, const Strings& inputs,
                           const Strings& outputs) {
  FunctionProto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const auto& input : inputs) function.add_input(input);
  for (const auto& output : outputs) function.add_output(output);
  return function;
}

onnx::Node& addStep(FunctionProto& function, const std::string& type, const Strings& inputs,
                    const Strings& outputs) {
  auto& node = *function.add_node();
  node.set_op_type(type);
  for (const auto& input : inputs) node.add_input(input);
  for (const auto& output : outputs) node.add_output(output);
  return node;
}

onnx::Node& addCall(ModelProto& model, const std::string& name, const Strings& inputs,
                    const Strings& outputs) {
  auto& call = addNode(model, name, inputs, outputs);
  call.set_domain("local");
  return call;
}

// x -> Slope(slope) -> Slope(slope) -> y; a Slope is LeakyRelu, then Neg.
ModelProto calling() {
  auto proto = emptyModel();
  addInput(proto, "x", {1, 4});
  auto& function = addFunction(proto, "Slope", {"in"}, {"out"});
  function.add_attribute("slope");
  auto& alpha = *addStep(function, "LeakyRelu", {"in"}, {"x"}).add_attribute();
  alpha.set_name("alpha");
  alpha.set_ref_attr_name("slope");
  alpha.set_type(AttributeProto::FLOAT);
  addStep(function, "Neg", {"x"}, {"out"});
  addCall(proto, "Slope", {"x"}, {"middle"});
  onnx::setAttribute(addCall(proto, "Slope", {"middle"}, {"y"}), "slope", 0.5F);
  addOutput(proto, "y");
  return proto;
}

TEST(Functions, TheirNodesStandWhereTheyAreCalled) {
  auto proto = calling();
  onnx::callFunctions(proto);
  EXPECT_EQ(proto.functions_size(), 0);
  const Model model(std::move(proto));
  ASSERT_EQ(model.nodes().size(), 4U);
  EXPECT_FALSE(onnx::findAttribute(*model.nodes()[0], "alpha"));
  EXPECT_EQ(onnx::floatAttribute(*model.nodes()[2], "alpha"), 0.5F);
  EXPECT_EQ(model.nodes()[0]->input(0), "x");
  EXPECT_EQ(model.nodes()[3]->output(0), "y");
}

TEST(Functions, CallEachOtherAndPassInputsOn) {
  auto proto = calling();
  auto& outer = addFunction(proto, "Outer", {"a"}, {"b", "a", "unread"});
  auto& inner = addStep(outer, "Slope", {"a"}, {"b"});
  inner.set_domain("local");
  addStep(outer, "Exp", {"b"}, {"unread"});
  addCall(proto, "Outer", {"y"}, {"z", "same"});
  addOutput(proto, "z");
  addOutput(proto, "same");
  onnx::callFunctions(proto);
  const Model model(std::move(proto));
  EXPECT_EQ(model.producer("z")->op_type(), "Neg");
  ASSERT_EQ(model.producer("same")->op_type(), "Identity");
  EXPECT_EQ(model.producer("same")->input(0), "y");
}

TEST(Functions, ThoseThatCannotBeCalledAreRefused) {
  auto endless = calling();
  addStep(*endless.mutable_functions(0), "Slope", {"out"}, {"more"}).set_domain("local");
  EXPECT_NE(refusal(endless).find("without end"), std::string::npos) << refusal(endless);

  auto larger = calling();
  larger.mutable_graph()->mutable_node(0)->add_input("x");
  EXPECT_NE(refusal(larger).find("more inputs"), std::string::npos) << refusal(larger);

  auto older = calling();
  auto& opset = *older.mutable_functions(0)->add_opset_import();
  opset.set_version(older.opset_import(0).version() + 1);
  EXPECT_NE(refusal(older).find("opset"), std::string::npos) << refusal(older);

  auto defaulted = calling();
  defaulted.mutable_functions(0)->clear_attribute();
  EXPECT_NE(refusal(defaulted).find("default value"), std::string::npos) << refusal(defaulted);
}

}  // namespace
}  // namespace mpm::test
