// SPDX-License-Identifier: Apache-2.0
// Norms as exporters and people write them, and near misses that are something else.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "in_project.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/file.h"
#include "onnx/proto_model.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {
namespace {

using test::Strings;

Model fixture(const std::string& name) {
  return readModel(test::inProject("tests/onnx/fixtures/") + name + ".onnx");
}

Model modelOf(::onnx::ModelProto proto) { return Model(std::move(proto)); }

std::optional<FoundNormalize> findNormalize(const Model& model, const std::string& value) {
  const Values values(model);
  return onnx::findNormalize(Facts{model, values}, value);
}

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

// (x - mean) (scale / root) + shift, spread out as TensorFlow does it: x factor + (shift - mean
// factor). Parts can be spoiled one at a time.
struct Spread {
  bool isNegated = true;  // -mean times factor is added, else mean times factor taken off
  bool hasShift = true;
  bool isOfOther = false;     // whose mean
  bool hasOwnFactor = false;  // the mean's
  bool isTaken = true;        // the mean has the sign that it should have
  bool hasScale = true;
};

void addVariance(::onnx::ModelProto& proto) {
  for (const char* name : {"x", "other"}) test::addInput(proto, name, {-1, 5, 4});
  test::addConstant(proto, "eps", {}, {1e-5F});
  test::addConstant(proto, "scale", {1, 1, 4}, {1, 2, 3, 4});
  test::addConstant(proto, "shift", {1, 1, 4}, {4, 3, 2, 1});
  addMean(proto, "x", "mean");
  test::addNode(proto, "Sub", {"x", "mean"}, {"difference"});
  test::addNode(proto, "Mul", {"difference", "difference"}, {"square"});
  addMean(proto, "square", "variance");
}

void addInverseRoot(::onnx::ModelProto& proto, const std::string& variance) {
  test::addNode(proto, "Add", {variance, "eps"}, {"sum"});
  test::addNode(proto, "Sqrt", {"sum"}, {"root"});
  test::addNode(proto, "Reciprocal", {"root"}, {"inverse"});
}

Model spreadModel(const Spread& part) {
  ::onnx::ModelProto proto = test::emptyModel();
  addVariance(proto);
  addMean(proto, "other", "mean_of_other");
  addInverseRoot(proto, "variance");
  test::addNode(proto, "Mul", {"inverse", "scale"}, {"scaled"});
  test::addNode(proto, "Mul", {"inverse", "shift"}, {"another"});
  const std::string factor = part.hasScale ? "scaled" : "inverse";
  test::addNode(proto, "Mul", {"x", factor}, {"rows"});
  std::string taken = part.isOfOther ? "mean_of_other" : "mean";
  const bool isAdded = part.isNegated == part.isTaken;
  if (part.isNegated) test::addNode(proto, "Neg", {taken}, {"negative"});
  test::addNode(proto, "Mul",
                {part.isNegated ? "negative" : taken, part.hasOwnFactor ? "another" : factor},
                {"product"});
  taken = "product";
  std::string type = isAdded ? "Add" : "Sub";
  if (part.hasShift) {
    test::addNode(proto, type, {"shift", taken}, {"rest"});
    taken = "rest";
    type = "Add";
  }
  test::addNode(proto, type, {"rows", taken}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindNormalize, SpreadOverASum) {
  const Spread spelled[] = {{},
                            {.isNegated = false},
                            {.hasShift = false},
                            {.isNegated = false, .hasShift = false},
                            {.hasScale = false}};
  for (const Spread& part : spelled) {
    SCOPED_TRACE(testing::Message() << part.isNegated << part.hasShift << part.hasScale);
    const auto found = findNormalize(spreadModel(part), "y");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->input, "x");
    EXPECT_TRUE(found->isCentred);
    EXPECT_EQ(found->scale, part.hasScale ? "scale" : "");
    EXPECT_EQ(found->shift, part.hasShift ? "shift" : "");
    EXPECT_FLOAT_EQ(found->eps, 1e-5F);
  }
}

TEST(FindNormalize, NearMissesOfASpreadOne) {
  EXPECT_FALSE(findNormalize(spreadModel({.isOfOther = true}), "y")) << "another value's mean";
  EXPECT_FALSE(findNormalize(spreadModel({.hasOwnFactor = true}), "y")) << "another factor";
  EXPECT_FALSE(findNormalize(spreadModel({.isTaken = false}), "y")) << "a mean that is added";
  EXPECT_FALSE(findNormalize(spreadModel({.isNegated = false, .isTaken = false}), "y"));
}

// The rows times a factor that holds the scale, as Flax writes it, perhaps times another vector.
Model scaledInside(bool isScaledTwice) {
  ::onnx::ModelProto proto = test::emptyModel();
  addVariance(proto);
  addInverseRoot(proto, "variance");
  test::addNode(proto, "Mul", {"inverse", "scale"}, {"factor"});
  test::addNode(proto, "Mul", {"difference", "factor"}, {"product"});
  if (isScaledTwice) test::addNode(proto, "Mul", {"product", "scale"}, {"scaled"});
  test::addNode(proto, "Add", {isScaledTwice ? "scaled" : "product", "shift"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindNormalize, ItsScaleBesideTheRoot) {
  const auto found = findNormalize(scaledInside(false), "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "x");
  EXPECT_EQ(found->scale, "scale");
  EXPECT_EQ(found->shift, "shift");
  EXPECT_FALSE(findNormalize(scaledInside(true), "y")) << "two vectors";
}

// A variance that is kept from falling below a number.
Model floored(const char* type, float least) {
  ::onnx::ModelProto proto = test::emptyModel();
  addVariance(proto);
  test::addConstant(proto, "least", {}, {least});
  test::addNode(proto, type,
                std::string(type) == "Max" ? Strings{"variance", "least"} : Strings{"variance"},
                {"floored"});
  addInverseRoot(proto, "floored");
  test::addNode(proto, "Mul", {"difference", "inverse"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

// Rows that are kept within what half precision holds.
TEST(FindNormalize, RowsWithinBoundsAreOthers) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "image", {-1, 5, 4});
  test::addConstant(proto, "least", {}, {-65504});
  test::addConstant(proto, "most", {}, {65504});
  test::addConstant(proto, "eps", {}, {1e-5F});
  test::addNode(proto, "Clip", {"image", "least", "most"}, {"x"});
  addMean(proto, "x", "mean");
  test::addNode(proto, "Sub", {"x", "mean"}, {"difference"});
  test::addNode(proto, "Mul", {"difference", "difference"}, {"square"});
  addMean(proto, "square", "variance");
  addInverseRoot(proto, "variance");
  test::addNode(proto, "Mul", {"difference", "inverse"}, {"y"});
  test::addOutput(proto, "y");
  const auto found = findNormalize(modelOf(std::move(proto)), "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "x");
}

TEST(FindNormalize, AVarianceThatIsNotBelowZero) {
  EXPECT_TRUE(findNormalize(floored("Max", 0), "y"));
  EXPECT_TRUE(findNormalize(floored("Relu", 0), "y"));
  EXPECT_FALSE(findNormalize(floored("Max", 0.1F), "y"));
}

// Rows whose mean loses its axis and gets it back, as JAX writes it; or those of another axis.
Model droppedAxis(std::int64_t axis, const std::vector<std::int64_t>& target) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 4, 4});
  test::addConstant(proto, "eps", {}, {1e-5F});
  *proto.mutable_graph()->add_initializer() = integerTensor("target", {3}, target);
  const auto addKept = [&](const std::string& from, const std::string& to) {
    addMean(proto, from, to + "_flat", axis);
    setAttribute(*proto.mutable_graph()->mutable_node()->rbegin(), "keepdims", std::int64_t{0});
    test::addNode(proto, "Reshape", {to + "_flat", "target"}, {to});
  };
  addKept("x", "mean");
  test::addNode(proto, "Sub", {"x", "mean"}, {"difference"});
  test::addNode(proto, "Mul", {"difference", "difference"}, {"square"});
  addKept("square", "variance");
  addInverseRoot(proto, "variance");
  test::addNode(proto, "Mul", {"difference", "inverse"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindNormalize, AnAxisThatGoesAndComesBack) {
  const auto found = findNormalize(droppedAxis(2, {0, 4, 1}), "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "x");
  EXPECT_TRUE(found->isCentred);
  EXPECT_FALSE(findNormalize(droppedAxis(1, {0, 1, 4}), "y")) << "of columns";
  EXPECT_FALSE(findNormalize(droppedAxis(2, {0, 1, 4}), "y")) << "of other rows";
}

// A difference that is `otherwise` where the least and the largest of each row are equal.
Model equalRows(const char* type, float otherwise) {
  ::onnx::ModelProto proto = test::emptyModel();
  addVariance(proto);
  test::addConstant(proto, "otherwise", {}, {otherwise});
  for (const char* extreme : {"ReduceMin", "ReduceMax"})
    setAttribute(test::addNode(proto, extreme, {"x"}, {extreme}), "axes",
                 std::vector<std::int64_t>{2});
  test::addNode(proto, type, {"ReduceMax", "ReduceMin"}, {"are_equal"});
  test::addNode(proto, "Where", {"are_equal", "otherwise", "difference"}, {"chosen"});
  addInverseRoot(proto, "variance");
  test::addNode(proto, "Mul", {"chosen", "inverse"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindNormalize, RowsThatAreNothingWhereAllAreEqual) {
  EXPECT_TRUE(findNormalize(equalRows("Equal", 0), "y"));
  EXPECT_FALSE(findNormalize(equalRows("Greater", 0), "y"));
  EXPECT_FALSE(findNormalize(equalRows("Equal", 1), "y"));
}

// GroupNorm of [rows, features], as PyTorch's exporters spell it.
struct GroupedRows {
  std::int64_t groups = 1;
  float scale = 1;
  std::vector<std::int64_t> shift = {4};
};

Model groupedRows(const GroupedRows& part) {
  ::onnx::ModelProto proto = test::emptyModel();
  test::addInput(proto, "x", {-1, 3, 4});
  const auto addReshape = [&](const char* from, const std::vector<std::int64_t>& dims,
                              const std::string& to) {
    *proto.mutable_graph()->add_initializer() = integerTensor(to + "_dims", {3}, dims);
    test::addNode(proto, "Reshape", {from, to + "_dims"}, {to});
  };
  addReshape("x", {-1, part.groups, 4 / part.groups}, "groups");
  const auto count = static_cast<std::size_t>(part.groups);
  test::addConstant(proto, "ones", {part.groups}, std::vector<float>(count, part.scale));
  test::addConstant(proto, "zeros", {part.groups}, std::vector<float>(count, 0));
  test::addNode(proto, "InstanceNormalization", {"groups", "ones", "zeros"}, {"normed"});
  addReshape("normed", {-1, 3, 4}, "rows");
  test::addConstant(proto, "gain", {4}, {1, 2, 3, 4});
  std::vector<float> shift = {4, 3, 2, 1};
  shift.resize(static_cast<std::size_t>(part.shift.front()));
  test::addConstant(proto, "shift", part.shift, shift);
  test::addNode(proto, "Mul", {"rows", "gain"}, {"scaled"});
  test::addNode(proto, "Add", {"scaled", "shift"}, {"y"});
  test::addOutput(proto, "y");
  return modelOf(std::move(proto));
}

TEST(FindNormalize, AGroupOfAllFeatures) {
  const auto found = findNormalize(groupedRows({}), "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "x");
  EXPECT_EQ(found->scale, "gain");
  EXPECT_EQ(found->shift, "shift");
  EXPECT_FLOAT_EQ(found->eps, 1e-5F);
  EXPECT_FALSE(findNormalize(groupedRows({.groups = 2}), "y"));
  EXPECT_FALSE(findNormalize(groupedRows({.scale = 2}), "y"));
  EXPECT_FALSE(findNormalize(groupedRows({.shift = {3, 1}}), "y")) << "one for each row";
}

TEST(FindNormalize, AGroupOfAllFeaturesAsOneNode) {
  const auto isFound = [](const std::vector<std::int64_t>& dims, std::int64_t groups) {
    ::onnx::ModelProto proto = test::emptyModel();
    proto.mutable_opset_import(0)->set_version(21);
    test::addInput(proto, "x", dims);
    test::addConstant(proto, "gain", {4}, {1, 2, 3, 4});
    test::addConstant(proto, "shift", {4}, {4, 3, 2, 1});
    setAttribute(test::addNode(proto, "GroupNormalization", {"x", "gain", "shift"}, {"y"}),
                 "num_groups", groups);
    test::addOutput(proto, "y");
    return findNormalize(modelOf(std::move(proto)), "y").has_value();
  };
  EXPECT_TRUE(isFound({-1, 4}, 1));
  EXPECT_FALSE(isFound({-1, 4}, 2));
  EXPECT_FALSE(isFound({-1, 4, 4}, 1)) << "over all of its places";
}

}  // namespace
}  // namespace mpm::onnx
