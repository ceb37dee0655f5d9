// SPDX-License-Identifier: Apache-2.0
// The parts of a transformer as exporters write them, and near misses that are something else.
#include <gtest/gtest.h>

#include <cmath>

#include "onnx/attribute.h"
#include "onnx/find.h"
#include "onnx/proto_model.h"
#include "onnx/read.h"

namespace mpm::onnx {
namespace {

using test::Strings;

Model fixture(const std::string& name) {
  return readModel(std::string(MPM_ONNX_FIXTURES) + "/" + name + ".onnx");
}

Model modelOf(::onnx::ModelProto proto) { return Model(std::move(proto)); }

TEST(FindNormalize, AsExported) {
  for (const char* opset : {"13", "16"}) {
    SCOPED_TRACE(opset);
    const Model full = fixture(std::string("layer_norm_opset") + opset);
    const auto found = findNormalize(full, "y");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->input, "x");
    EXPECT_FLOAT_EQ(found->eps, 1e-6F);
    EXPECT_EQ(full.constant(found->scale)->count(), 8);
    EXPECT_EQ(full.constant(found->shift)->count(), 8);
    EXPECT_EQ(found->nodes.size(), full.nodes().size());

    const Model plain = fixture(std::string("layer_norm_plain_opset") + opset);
    const auto bare = findNormalize(plain, "y");
    ASSERT_TRUE(bare);
    EXPECT_EQ(bare->input, "x");
    EXPECT_TRUE(bare->scale.empty() && bare->shift.empty());
  }
}

TEST(FindNormalize, OneNode) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 5, 4});
  test::addConstant(proto, "scale", {4}, {1, 2, 3, 4});
  setAttribute(test::addNode(proto, "LayerNormalization", {"x", "scale"}, {"y"}), "epsilon", 1e-3F);
  test::addOutput(proto, "y");
  const Model model = modelOf(std::move(proto));
  const auto found = findNormalize(model, "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->scale, "scale");
  EXPECT_TRUE(found->shift.empty());
  EXPECT_FLOAT_EQ(found->eps, 1e-3F);
}

// A LayerNorm whose parts can be spoiled one at a time.
struct Decomposed {
  std::int64_t axis = -1;
  float power = 2;
  bool ownMean = true;
  bool squareOfInput = false;
};

Model decomposed(const Decomposed& part) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 5, 4});
  test::addInput(proto, "other", {-1, 5, 4});
  test::addConstant(proto, "two", {}, {part.power});
  test::addConstant(proto, "eps", {}, {1e-5F});
  auto& mean = test::addNode(proto, "ReduceMean", {part.ownMean ? "x" : "other"}, {"mean"});
  setAttribute(mean, "axes", std::vector<std::int64_t>{part.axis});
  test::addNode(proto, "Sub", {"x", "mean"}, {"difference"});
  test::addNode(proto, "Pow", {part.squareOfInput ? "x" : "difference", "two"}, {"square"});
  auto& variance = test::addNode(proto, "ReduceMean", {"square"}, {"variance"});
  setAttribute(variance, "axes", std::vector<std::int64_t>{part.axis});
  test::addNode(proto, "Add", {"variance", "eps"}, {"sum"});
  test::addNode(proto, "Sqrt", {"sum"}, {"root"});
  test::addNode(proto, "Div", {"difference", "root"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindNormalize, NearMisses) {
  EXPECT_TRUE(findNormalize(decomposed({}), "y"));
  EXPECT_TRUE(findNormalize(decomposed({.axis = 2}), "y"));
  EXPECT_FALSE(findNormalize(decomposed({.axis = 1}), "y"));
  EXPECT_FALSE(findNormalize(decomposed({.power = 3}), "y"));
  const auto otherMean = findNormalize(decomposed({.ownMean = false}), "y");
  EXPECT_TRUE(otherMean && !otherMean->isCentred) << "the RMSNorm of a difference";
  EXPECT_FALSE(findNormalize(decomposed({.squareOfInput = true}), "y"));
}

// A norm as people write it, whose parts can be spoiled one at a time.
struct NormByHand {
  bool isCentred = true;
  bool isProduct = true;               // with the root's inverse
  const char* inverse = "Reciprocal";  // Div, Pow
  float power = -0.5F;
  bool takesMeanTwice = false;  // each time that it is asked for
  std::int64_t secondAxis = -1;
  bool isOfSquares = false;  // mean(x^2) - mean(x)^2
  bool isOfOtherSquares = false;
};

std::string addMean(::onnx::ModelProto& proto, const std::string& from, const std::string& to,
                    std::int64_t axis = -1) {
  setAttribute(test::addNode(proto, "ReduceMean", {from}, {to}), "axes",
               std::vector<std::int64_t>{axis});
  return to;
}

Model normByHand(const NormByHand& part) {
  ::onnx::ModelProto proto = test::emptyModel();
  for (const char* name : {"x", "other"}) test::addInput(proto, name, {-1, 5, 4});
  test::addConstant(proto, "one", {}, {1});
  test::addConstant(proto, "eps", {}, {1e-5F});
  test::addConstant(proto, "power", {}, {part.power});
  std::string rows = "x", squared = "x";
  if (part.isCentred) {
    addMean(proto, "x", "mean");
    test::addNode(proto, "Sub", {"x", "mean"}, {"rows"});
    rows = squared = "rows";
  }
  if (part.takesMeanTwice) {
    addMean(proto, "x", "again", part.secondAxis);
    test::addNode(proto, "Sub", {"x", "again"}, {"squared"});
    squared = "squared";
  }
  if (part.isOfSquares) squared = part.isOfOtherSquares ? "other" : "x";
  test::addNode(proto, "Mul", {squared, squared}, {"square"});
  std::string variance = addMean(proto, "square", "variance");
  if (part.isOfSquares) {
    test::addNode(proto, "Mul", {"mean", "mean"}, {"mean_square"});
    test::addNode(proto, "Sub", {"variance", "mean_square"}, {"difference"});
    variance = "difference";
  }
  test::addNode(proto, "Add", {variance, "eps"}, {"sum"});
  const std::string inverse = part.inverse;
  if (inverse == "Pow") {
    test::addNode(proto, "Pow", {"sum", "power"}, {"inverse"});
  } else {
    test::addNode(proto, "Sqrt", {"sum"}, {"root"});
    test::addNode(proto, inverse, inverse == "Div" ? Strings{"one", "root"} : Strings{"root"},
                  {"inverse"});
  }
  part.isProduct ? test::addNode(proto, "Mul", {"inverse", rows}, {"y"})
                 : test::addNode(proto, "Div", {rows, "root"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindNormalize, ByHand) {
  const NormByHand spelled[] = {{},
                                {.isProduct = false},
                                {.inverse = "Div"},
                                {.inverse = "Pow"},
                                {.takesMeanTwice = true},
                                {.isOfSquares = true},
                                {.isProduct = false, .takesMeanTwice = true}};
  for (const NormByHand& part : spelled) {
    const Model model = normByHand(part);
    const auto found = findNormalize(model, "y");
    ASSERT_TRUE(found) << part.inverse;
    EXPECT_EQ(found->input, "x");
    EXPECT_TRUE(found->isCentred);
    EXPECT_FLOAT_EQ(found->eps, 1e-5F);
  }
  for (const char* inverse : {"Reciprocal", "Div", "Pow"}) {
    const auto found = findNormalize(normByHand({.isCentred = false, .inverse = inverse}), "y");
    ASSERT_TRUE(found) << inverse;
    EXPECT_FALSE(found->isCentred);
  }
}

TEST(FindNormalize, NearMissesByHand) {
  EXPECT_FALSE(findNormalize(normByHand({.inverse = "Pow", .power = 0.5F}), "y"));
  EXPECT_FALSE(findNormalize(normByHand({.takesMeanTwice = true, .secondAxis = 1}), "y"))
      << "another mean";
  EXPECT_FALSE(findNormalize(normByHand({.isOfSquares = true, .isOfOtherSquares = true}), "y"));
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
