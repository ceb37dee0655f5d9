// SPDX-License-Identifier: Apache-2.0
// The parts of a transformer as exporters write them, and near misses that are something else.
#include <gtest/gtest.h>

#include <cmath>

#include "in_project.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/file.h"
#include "onnx/proto_model.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {
namespace {

Model fixture(const std::string& name) {
  return readModel(test::inProject("tests/onnx/fixtures/") + name + ".onnx");
}

Model modelOf(::onnx::ModelProto proto) { return Model(std::move(proto)); }

std::optional<FoundGelu> findGelu(const Model& model, const std::string& value) {
  const Values values(model);
  return onnx::findGelu(Facts{model, values}, value);
}

TEST(FindGelu, AsExported) {
  for (const char* opset : {"13", "16"}) {
    for (const auto& [name, kind] : {std::pair{"gelu_erf", Gelu::erf},
                                     {"gelu_tanh", Gelu::tanh},
                                     {"gelu_quick", Gelu::quick}}) {
      SCOPED_TRACE(testing::Message() << name << " " << opset);
      const Model model = fixture(std::string(name) + "_opset" + opset);
      const auto found = findGelu(model, "y");
      ASSERT_TRUE(found);
      EXPECT_EQ(found->kind, kind);
      EXPECT_EQ(found->input, "x");
    }
  }
}

// erf's GELU with a factor in each place where it could be wrong.
Model erfGelu(float divisor, float one, float half, bool closed = true) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 4});
  test::addInput(proto, "other", {-1, 4});
  test::addConstant(proto, "divisor", {}, {divisor});
  test::addConstant(proto, "one", {1}, {one});
  test::addConstant(proto, "half", {1, 1}, {half});
  test::addNode(proto, "Div", {"x", "divisor"}, {"scaled"});
  test::addNode(proto, "Erf", {"scaled"}, {"erf"});
  test::addNode(proto, "Add", {"one", "erf"}, {"sum"});
  test::addNode(proto, "Mul", {"half", closed ? "x" : "other"}, {"halved"});
  test::addNode(proto, "Mul", {"halved", "sum"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindGelu, AnyOrderOfTheSameFunction) {
  const auto found = findGelu(erfGelu(std::sqrt(2.0F), 1, 0.5F), "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Gelu::erf);
  EXPECT_EQ(found->input, "x");
  EXPECT_EQ(found->nodes.size(), 5U);
  EXPECT_TRUE(findGelu(erfGelu(1.4142F, 1, 0.5F), "y")) << "a constant of few digits";
}

TEST(FindGelu, NearMisses) {
  EXPECT_FALSE(findGelu(erfGelu(1.5F, 1, 0.5F), "y"));
  EXPECT_FALSE(findGelu(erfGelu(std::sqrt(2.0F), 0.9F, 0.5F), "y"));
  EXPECT_FALSE(findGelu(erfGelu(std::sqrt(2.0F), 1, 0.51F), "y"));
  EXPECT_FALSE(findGelu(erfGelu(std::sqrt(2.0F), 1, 0.5F, false), "y")) << "two arguments";
  EXPECT_FALSE(findGelu(fixture("linear_opset13"), "y"));
}

TEST(FindGelu, OneNode) {
  for (const auto& [text, kind] : {std::pair{"none", Gelu::erf}, {"tanh", Gelu::tanh}}) {
    ::onnx::ModelProto proto = test::emptyModel();
    test::addInput(proto, "x", {-1, 4});
    setAttribute(test::addNode(proto, "Gelu", {"x"}, {"y"}), "approximate", std::string(text));
    test::addOutput(proto, "y");
    const auto found = findGelu(modelOf(std::move(proto)), "y");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, kind);
  }
}

// x / 2 erfc(-x / sqrt 2), as TensorFlow has it.
TEST(FindGelu, ByTheComplement) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 4});
  test::addConstant(proto, "factor", {}, {-std::sqrt(0.5F)});
  test::addConstant(proto, "half", {}, {0.5F});
  test::addNode(proto, "Mul", {"x", "factor"}, {"scaled"});
  test::addNode(proto, "Erfc", {"scaled"}, {"twice"});
  test::addNode(proto, "Mul", {"x", "half"}, {"halved"});
  test::addNode(proto, "Mul", {"halved", "twice"}, {"y"});
  test::addOutput(proto, "y");
  const auto found = findGelu(modelOf(std::move(proto)), "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Gelu::erf);
}

TEST(FindLinear, AsExported) {
  for (const char* opset : {"13", "16"}) {
    const Model model = fixture(std::string("linear_opset") + opset);
    const auto found = findLinear(model, "y");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->input, "x");
    EXPECT_EQ(model.constant(found->weight)->dims(), (std::vector<std::int64_t>{8, 6}));
    EXPECT_FALSE(found->outByIn);
    EXPECT_EQ(model.constant(found->bias)->count(), 6);
    const auto bare = findLinear(fixture(std::string("linear_no_bias_opset") + opset), "y");
    ASSERT_TRUE(bare);
    EXPECT_TRUE(bare->bias.empty());
  }
}

TEST(FindLinear, GemmAndTransposedMatrices) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 3});
  test::addConstant(proto, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
  test::addConstant(proto, "b", {2}, {1, 2});
  test::addNode(proto, "Transpose", {"w"}, {"wt"});
  test::addNode(proto, "MatMul", {"x", "wt"}, {"product"});
  setAttribute(test::addNode(proto, "Gemm", {"x", "w", "b"}, {"gemm"}), "transB", std::int64_t{1});
  auto& scaled = test::addNode(proto, "Gemm", {"x", "w", "b"}, {"scaled"});
  setAttribute(scaled, "transB", std::int64_t{1});
  setAttribute(scaled, "alpha", 2.0F);
  for (const char* output : {"product", "gemm", "scaled"}) test::addOutput(proto, output);
  const Model model = modelOf(std::move(proto));
  for (const char* output : {"product", "gemm"}) {
    const auto found = findLinear(model, output);
    ASSERT_TRUE(found) << output;
    EXPECT_EQ(found->weight, "w");
    EXPECT_TRUE(found->outByIn);
  }
  EXPECT_FALSE(findLinear(model, "scaled"));
}

TEST(FindLinear, ASumOfAnotherLengthIsNoBias) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 2});
  test::addConstant(proto, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
  test::addConstant(proto, "position", {2, 3}, {1, 2, 3, 4, 5, 6});
  test::addNode(proto, "MatMul", {"x", "w"}, {"product"});
  test::addNode(proto, "Add", {"product", "position"}, {"y"});
  test::addOutput(proto, "y");
  const Model model = modelOf(std::move(proto));
  EXPECT_FALSE(findLinear(model, "y"));
  EXPECT_TRUE(findLinear(model, "product"));
}

}  // namespace
}  // namespace mpm::onnx
