// SPDX-License-Identifier: Apache-2.0
// What readModel accepts, the sentence for each thing that it refuses, and functions of a file,
// whose nodes come in the places of their calls.
#include "onnx/graph/file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

TEST(OnnxRead, GivesAModelFromBytes) {
  const std::string bytes = linearModel().SerializeAsString();
  const auto model = onnx::readModel(bytes.data(), bytes.size());
  ASSERT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(model.inputs()[0].name, "image");
  EXPECT_EQ(model.opset(), 17);
}

TEST(OnnxRead, GivesAModelFromAFile) {
  Folder folder;
  const auto file = folder.put("linear.onnx", linearModel().SerializeAsString());
  EXPECT_EQ(onnx::readModel(file.string()).nodes().size(), 2u);
}

TEST(OnnxRead, RefusesWhatIsNoFile) {
  Folder folder;
  EXPECT_EQ(fileRefusal(folder.path() / "none.onnx"), "there is no such file");
  EXPECT_EQ(fileRefusal(folder.path()), "this is a folder; an ONNX file was expected");
}

TEST(OnnxRead, RefusesAnEmptyFile) {
  Folder folder;
  EXPECT_EQ(fileRefusal(folder.put("empty.onnx", "")), "the file is empty");
  EXPECT_EQ(refusal(std::string()), "model: the file is empty");
}

TEST(OnnxRead, RefusesTruncatedFilesAtEveryLength) {
  const std::string bytes = linearModel().SerializeAsString();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(refusal(bytes.substr(0, length)), "accepted") << length;
  }
}

TEST(OnnxRead, SaysWhereATruncatedFileEnds) {
  const std::string bytes = linearModel().SerializeAsString();
  EXPECT_EQ(
      refusal(bytes.substr(0, 100))
          .find("model: the file is cut off: it ends at byte 100, in the middle of a part of "),
      0u);
  Folder folder;
  EXPECT_EQ(fileRefusal(folder.put("cut.onnx", bytes.substr(0, 100)))
                .find("the file is cut off: it ends at byte 100,"),
            0u);
}

TEST(OnnxRead, SaysThatTextLooksLikeText) {
  EXPECT_EQ(refusal(std::string("hello, this is a note\n")),
            "model: the file looks like text, not ONNX");
  EXPECT_EQ(refusal(std::string("<!DOCTYPE html>\n<html><body>404</body></html>")),
            "model: the file looks like text, not ONNX: an HTML page; the download gave a web page "
            "instead of the model");
  EXPECT_EQ(refusal(std::string("version https://git-lfs.github.com/spec/v1\noid sha256:00\n")),
            "model: the file looks like text, not ONNX: a Git LFS pointer; fetch the model itself "
            "with `git lfs pull`");
}

TEST(OnnxRead, RefusesOtherBinaryFiles) {
  EXPECT_EQ(refusal(std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16))
                .find("model: the file is not an ONNX model"),
            0u);
  EXPECT_NE(refusal(std::string(1000, '\0')).find("not an ONNX model"), std::string::npos);
  EXPECT_NE(refusal(std::string(1000, '\xff')).find("not an ONNX model"), std::string::npos);
}

TEST(OnnxRead, RefusesAModelWithoutGraph) {
  auto model = emptyModel();
  model.clear_graph();
  EXPECT_EQ(refusal(model), "model: the model has no graph");
}

TEST(OnnxRead, RefusesAModelWithoutOpset) {
  auto model = linearModel();
  model.clear_opset_import();
  EXPECT_EQ(refusal(model), "model: the model names no opset; was the file cut off?");
  auto* opset = model.add_opset_import();
  opset->set_domain("mpm");
  opset->set_version(1);
  EXPECT_EQ(refusal(model),
            "model: the model names no opset for ONNX's own operators, which node 'product_node' "
            "('MatMul') needs");
}

TEST(OnnxRead, RefusesAnInputFromNowhere) {
  auto model = linearModel();
  addNode(model, "Relu", {"lost"}, {"found"});
  EXPECT_EQ(refusal(model),
            "model: node 'found_node' ('Relu') reads 'lost', which nothing produces");
}

TEST(OnnxRead, RefusesAnOutputFromNowhere) {
  auto model = linearModel();
  addOutput(model, "labels");
  EXPECT_EQ(refusal(model), "model: nothing produces the graph's output 'labels'");
}

TEST(OnnxRead, RefusesTwoProducersOfAValue) {
  auto twoNodes = linearModel();
  addNode(twoNodes, "Relu", {"image"}, {"product"});
  EXPECT_EQ(refusal(twoNodes),
            "model: the value 'product' is given twice: by node 'product_node' ('MatMul') and by "
            "node 'product_node' ('Relu')");
  auto nodeAndInput = linearModel();
  addNode(nodeAndInput, "Relu", {"product"}, {"image"});
  EXPECT_NE(refusal(nodeAndInput).find("'image' is given twice: by a graph input and by node"),
            std::string::npos);
  auto constants = linearModel();
  addConstant(constants, "weight", {1}, {1});
  EXPECT_EQ(refusal(constants),
            "model: the value 'weight' is given twice: by a constant and by a constant");
}

TEST(OnnxRead, RefusesACycle) {
  auto model = linearModel();
  addNode(model, "Relu", {"c"}, {"a"});
  addNode(model, "Relu", {"a"}, {"b"});
  addNode(model, "Add", {"b", "image"}, {"c"});
  addNode(model, "Relu", {"c"}, {"behind"});
  const std::string text = refusal(model);
  EXPECT_EQ(text.find("model: the graph has a cycle, through node "), 0u) << text;
  EXPECT_EQ(text.find("behind"), std::string::npos) << text;
  auto self = linearModel();
  addNode(self, "Relu", {"x"}, {"x"});
  EXPECT_EQ(refusal(self), "model: the graph has a cycle, through node 'x_node' ('Relu')");
}

TEST(OnnxRead, RefusesDataThatDoNotFitTheirDims) {
  auto model = linearModel();
  addConstant(model, "short", {2, 3}, {1, 2, 3});
  EXPECT_EQ(refusal(model),
            "model: constant 'short' holds 12 bytes, but its dims [2, 3] of float32 need 24");
}

TEST(OnnxRead, RefusesClaimsOfTwoGigabytesWithoutAllocatingThem) {
  auto model = linearModel();
  addConstant(model, "vast", {1024, 1024, 512}, {1});
  EXPECT_EQ(refusal(model),
            "model: constant 'vast' holds 4 bytes, but its dims [1024, 1024, 512] of float32 need "
            "2147483648");
}

TEST(OnnxRead, RefusesDimsThatAreNoSize) {
  auto negative = linearModel();
  addConstant(negative, "w", {2, -1}, {});
  EXPECT_EQ(refusal(negative), "model: constant 'w' has a negative dimension: [2, -1]");
  auto overflowing = linearModel();
  const std::int64_t large = std::int64_t{1} << 40;
  addConstant(overflowing, "w", {large, large}, {});
  EXPECT_EQ(refusal(overflowing),
            "model: constant 'w' has dims whose product is too large to be a number: "
            "[1099511627776, 1099511627776]");
}

TEST(OnnxRead, AcceptsAnEmptyTensorWithALargeDim) {
  auto model = linearModel();
  addConstant(model, "none", {std::int64_t{1} << 62, 0, std::int64_t{1} << 62}, {});
  EXPECT_NE(refusal(model), "accepted");  // the product of what is not 0 is no number either
  model.mutable_graph()->mutable_initializer(1)->set_dims(2, 1);
  EXPECT_EQ(refusal(model), "accepted");
}

TEST(OnnxRead, AcceptsTypesItDoesNotKnowUntilTheyAreAskedFor) {
  auto model = linearModel();
  addConstant(model, "odd", {3}, {}).set_data_type(77);
  EXPECT_EQ(refusal(model), "accepted");
  const std::string bytes = model.SerializeAsString();
  const auto read = onnx::readModel(bytes.data(), bytes.size());
  try {
    read.constant("odd")->floats();
    FAIL();
  } catch (const onnx::ModelError& error) {
    EXPECT_STREQ(error.what(), "constant 'odd' is type 77; floating point was expected");
  }
}

TEST(OnnxRead, RefusesDeepNesting) {
  auto model = linearModel();
  auto* node = &addNode(model, "If", {"image"}, {"deep"});
  for (int level = 0; level < 200; ++level) {
    auto* attribute = node->add_attribute();
    attribute->set_name("then_branch");
    node = attribute->mutable_g()->add_node();
    node->set_op_type("If");
  }
  EXPECT_EQ(refusal(model), "model: the file is damaged, or is not an ONNX model");
}

TEST(OnnxRead, ShowsNoControlCharactersOfAName) {
  auto model = linearModel();
  addNode(model, "Relu", {std::string("\x1b[31m\n") + std::string(1000, 'x')}, {"y"});
  const std::string text = refusal(model);
  EXPECT_NE(text.find("reads '?[31m?xxx"), std::string::npos) << text;
  EXPECT_LT(text.size(), 250u);
}

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using onnx::Model;
using ::onnx::ModelProto;

::onnx::FunctionProto& addFunction(::onnx::ModelProto& model, const std::string& name,
                                   const Strings& inputs, const Strings& outputs) {
  ::onnx::FunctionProto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const auto& input : inputs) function.add_input(input);
  for (const auto& output : outputs) function.add_output(output);
  return function;
}

onnx::Node& addStep(::onnx::FunctionProto& function, const std::string& type, const Strings& inputs,
                    const Strings& outputs) {
  auto& node = *function.add_node();
  node.set_op_type(type);
  for (const auto& input : inputs) node.add_input(input);
  for (const auto& output : outputs) node.add_output(output);
  return node;
}

onnx::Node& addCall(::onnx::ModelProto& model, const std::string& name, const Strings& inputs,
                    const Strings& outputs) {
  auto& call = addNode(model, name, inputs, outputs);
  call.set_domain("local");
  return call;
}

// x -> Slope(slope) -> Slope(slope) -> y; a Slope is LeakyRelu, then Neg.
::onnx::ModelProto calling() {
  auto proto = emptyModel();
  addInput(proto, "x", {1, 4});
  auto& function = addFunction(proto, "Slope", {"in"}, {"out"});
  function.add_attribute("slope");
  auto& alpha = *addStep(function, "LeakyRelu", {"in"}, {"x"}).add_attribute();
  alpha.set_name("alpha");
  alpha.set_ref_attr_name("slope");
  alpha.set_type(::onnx::AttributeProto::FLOAT);
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
  const onnx::Model model(std::move(proto));
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
  const onnx::Model model(std::move(proto));
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
