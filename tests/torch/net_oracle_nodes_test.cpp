// SPDX-License-Identifier: Apache-2.0
// The interpreter of converted files, on files small enough for numbers by hand.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/graph/tensor.h"
#include "onnx/proto_model.h"
#include "torch/net_oracle.h"

namespace mpm::test {
namespace {

using Proto = ::onnx::ModelProto;

Proto layerModel() {
  Proto model = emptyModel();
  auto* opset = model.add_opset_import();
  opset->set_domain("mpm");
  opset->set_version(1);
  addInput(model, "image", {-1, 2, 1, 5});
  return model;
}

onnx::Node& addLayer(Proto& model, const std::string& type, const std::string& names,
                     const Strings& inputs, const Strings& outputs) {
  onnx::Node& node = addNode(model, type, inputs, outputs);
  node.set_domain("mpm");
  onnx::setAttribute(node, "inputs", names);
  return node;
}

/// A special row (5, 6) and five pixels: the first and third merge, the second and fourth.
Proto mergingModel() {
  Proto model = layerModel();
  addConstant(model, "weight", {2, 2}, {1, 0, 0, 1});
  addConstant(model, "special", {1, 2}, {5, 6});
  onnx::setAttribute(addLayer(model, "PatchEmbed", "image,weight,special",
                              {"image", "weight", "special"}, {"tokens"}),
                     "patch", std::int64_t{1});
  onnx::setAttribute(
      addLayer(model, "MutualPairMerge", "tokens", {"tokens"}, {"merged", "rows", "map"}),
      "special", std::int64_t{1});
  return model;
}

/// [features][pixels]
at::Tensor image() {
  return at::tensor({1.0, 0.0, 4.0, 0.0, 1.0, 0.0, 1.0, 1.0, 3.0, -1.0}, at::kDouble)
      .reshape({1, 2, 1, 5});
}

NetRun run(Proto model, const Strings& outputs) {
  for (const std::string& output : outputs) addOutput(model, output);
  return runNet(onnx::Model(std::move(model)), {{"image", image()}});
}

/// What it says of a model that it refuses.
std::string refusalOf(const Proto& model, const std::string& output) {
  try {
    run(model, {output});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

void expectValues(const at::Tensor& actual, const std::vector<std::int64_t>& dims,
                  const std::vector<double>& expected) {
  ASSERT_EQ(actual.sizes(), at::IntArrayRef(dims));
  EXPECT_LE(relativeError(actual, at::tensor(expected, at::kDouble).reshape(dims)), 1e-12)
      << actual;
}

TEST(NetOracleNodes, Merge) {
  const NetRun merged = run(mergingModel(), {"merged", "rows", "map"});
  expectValues(merged.outputs.at("merged"), {1, 4, 2}, {5, 6, 2.5, 0.5, 0, 2, 1, -1});
  expectValues(merged.outputs.at("rows"), {1, 1}, {4});
  expectValues(merged.outputs.at("map"), {1, 5}, {0, 1, 0, 1, 2});
  ASSERT_EQ(merged.merges.size(), 1U);
  EXPECT_TRUE(areClear(merged.merges));
  expectValues(merged.merges[0].best, {5}, {2, 3, 0, 1, 0});
  EXPECT_NEAR(merged.merges[0].gap[1].item<double>(), 1 - std::sqrt(1 / 17.0), 1e-12);
}

TEST(NetOracleNodes, MergeThatIsOff) {
  Proto model = mergingModel();
  onnx::setAttribute(*model.mutable_graph()->mutable_node(1), "enabled", std::int64_t{0});
  const NetRun same = run(model, {"tokens", "merged", "rows", "map"});
  EXPECT_TRUE(same.outputs.at("merged").equal(same.outputs.at("tokens")));
  expectValues(same.outputs.at("rows"), {1, 1}, {6});
  expectValues(same.outputs.at("map"), {1, 5}, {0, 1, 2, 3, 4});
  EXPECT_TRUE(same.merges.empty());
}

TEST(NetOracleNodes, MapsOfLaterMergesCompose) {
  Proto model = mergingModel();
  addLayer(model, "MutualPairMerge", "tokens,rows,map", {"merged", "rows", "map"},
           {"again", "rows2", "map2"});
  const NetRun twice = run(model, {"again", "rows2", "map2"});
  expectValues(twice.outputs.at("again"), {1, 3, 2}, {5, 6, 1.75, -0.25, 0, 2});
  expectValues(twice.outputs.at("map2"), {1, 5}, {0, 1, 0, 1, 0});
  EXPECT_EQ(twice.merges.size(), 2U);
}

TEST(NetOracleNodes, RestoreReplaceAndMean) {
  Proto model = mergingModel();
  addLayer(model, "MergeRestore", "tokens,map", {"merged", "map"}, {"restored"});
  addConstant(model, "others", {2, 2}, {7, 8, 9, 10});
  onnx::setAttribute(addLayer(model, "ReplaceSpecial", "tokens,rows,special_rows",
                              {"merged", "rows", "others"}, {"replaced", "rows2"}),
                     "special", std::int64_t{1});
  addLayer(model, "MeanRows", "tokens,rows,map", {"merged", "rows", "map"}, {"mean"});
  onnx::setAttribute(
      addLayer(model, "MeanRows", "tokens,rows,map", {"merged", "rows", "map"}, {"meanOfAll"}),
      "with_special", std::int64_t{1});
  const NetRun ends = run(model, {"restored", "replaced", "rows2", "mean", "meanOfAll"});
  expectValues(ends.outputs.at("restored"), {1, 6, 2},
               {5, 6, 2.5, 0.5, 0, 2, 2.5, 0.5, 0, 2, 1, -1});
  expectValues(ends.outputs.at("replaced"), {1, 5, 2}, {7, 8, 9, 10, 2.5, 0.5, 0, 2, 1, -1});
  expectValues(ends.outputs.at("rows2"), {1, 1}, {5});
  expectValues(ends.outputs.at("mean"), {1, 2}, {1.2, 0.8});
  expectValues(ends.outputs.at("meanOfAll"), {1, 2}, {11.0 / 6, 10.0 / 6});
}

void addBlock(Proto& model, const std::string& names, Strings inputs, const std::string& output) {
  for (const char* weight : {"qkv", "proj", "fc1", "fc2"}) inputs.emplace_back(weight);
  const std::string weights = ",qkv_weight,proj_weight,fc1_weight,fc2_weight";
  onnx::Node& node = addLayer(model, "TransformerBlock", names + weights, inputs, {output});
  onnx::setAttribute(node, "gelu", std::string("quick"));
  onnx::setAttribute(node, "eps", 1.0F);  // rows of two features would all be (1, -1) or (-1, 1)
}

// Attention to a merged row that counts twice is attention to two rows.
TEST(NetOracleNodes, KeysCountAsOftenAsTheMapSays) {
  Proto model = mergingModel();
  addConstant(model, "qkv", {6, 2}, {1, 2, -1, 0.5, 2, 1, 0, -1, 1, 1, 3, -2});
  addConstant(model, "proj", {2, 2}, {1, 0.5, -1, 2});
  addConstant(model, "fc1", {3, 2}, {1, 2, -1, 1, 0.5, 0});
  addConstant(model, "fc2", {2, 3}, {1, 0, 2, -1, 1, 1});
  addLayer(model, "MergeRestore", "tokens,map", {"merged", "map"}, {"restored"});
  addBlock(model, "tokens", {"restored"}, "expected");
  addBlock(model, "tokens,rows,map", {"merged", "rows", "map"}, "block");
  addLayer(model, "MergeRestore", "tokens,map", {"block", "map"}, {"actual"});
  addBlock(model, "tokens,rows", {"merged", "rows"}, "uncounted");
  addLayer(model, "MergeRestore", "tokens,map", {"uncounted", "map"}, {"other"});
  const NetRun blocks = run(model, {"expected", "actual", "other"});
  const at::Tensor& expected = blocks.outputs.at("expected");
  EXPECT_LE(relativeError(blocks.outputs.at("actual"), expected), 1e-12);
  EXPECT_GT(relativeError(blocks.outputs.at("other"), expected), 1e-3);
  EXPECT_EQ(blocks.blocks, 3);
}

TEST(NetOracleNodes, PlainNodes) {
  Proto model = layerModel();
  onnx::setAttribute(addNode(model, "Transpose", {"image"}, {"turned"}), "perm",
                     std::vector<std::int64_t>{0, 2, 3, 1});
  auto* graph = model.mutable_graph();
  *graph->add_initializer() = onnx::integerTensor("one", {1}, {1});
  *graph->add_initializer() = onnx::integerTensor("three", {1}, {3});
  *graph->add_initializer() = onnx::integerTensor("axis", {1}, {-2});
  *graph->add_initializer() = onnx::integerTensor("sizes", {4}, {1, 2, 1, 10});
  addNode(model, "Slice", {"turned", "one", "three", "axis"}, {"slice"});
  addNode(model, "Flatten", {"slice"}, {"flat"});
  onnx::setAttribute(addNode(model, "Resize", {"image", "", "", "sizes"}, {"resized"}), "mode",
                     std::string("linear"));
  const NetRun plain = run(model, {"flat", "resized"});
  expectValues(plain.outputs.at("flat"), {1, 4}, {0, 1, 4, 1});
  expectValues(plain.outputs.at("resized").slice(1, 0, 1).squeeze(), {10},
               {1, 0.75, 0.25, 1, 3, 3, 1, 0.25, 0.75, 1});
}

TEST(NetOracleNodes, FunctionsBelowZero) {
  Proto model = layerModel();
  addConstant(model, "x", {2}, {-1, 2});
  for (const char* type : {"Celu", "Elu"})
    onnx::setAttribute(addNode(model, type, {"x"}, {type}), "alpha", 0.5F);
  for (const char* type : {"Selu", "Softplus"}) addNode(model, type, {"x"}, {type});
  const NetRun values = run(model, {"Celu", "Elu", "Selu", "Softplus"});
  expectValues(values.outputs.at("Celu"), {2}, {0.5 * std::expm1(-2), 2});
  expectValues(values.outputs.at("Elu"), {2}, {0.5 * std::expm1(-1), 2});
  constexpr double kAlpha = 1.67326319217681884765625, kGamma = 1.05070102214813232421875;
  expectValues(values.outputs.at("Selu"), {2}, {kGamma * kAlpha * std::expm1(-1), kGamma * 2});
  expectValues(values.outputs.at("Softplus"), {2},
               {std::log1p(std::exp(-1)), std::log1p(std::exp(2))});
}

TEST(NetOracleNodes, LeastAndLargestAndChannelsSideBySide) {
  Proto model = layerModel();
  onnx::setAttribute(addNode(model, "ArgMax", {"image"}, {"label"}), "axis", std::int64_t{1});
  onnx::setAttribute(addNode(model, "ReduceMin", {"image"}, {"least"}), "axes",
                     std::vector<std::int64_t>{3});
  addConstant(model, "planes", {1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  for (const char* mode : {"DCR", "CRD"}) {
    onnx::Node& node = addNode(model, "DepthToSpace", {"planes"}, {mode});
    onnx::setAttribute(node, "blocksize", std::int64_t{2});
    onnx::setAttribute(node, "mode", std::string(mode));
  }
  const NetRun values = run(model, {"label", "least", "DCR", "CRD"});
  EXPECT_TRUE(values.outputs.at("label").flatten().equal(at::tensor({0, 1, 0, 1, 0}, at::kLong)));
  expectValues(values.outputs.at("least"), {1, 2, 1, 1}, {0, -1});
  expectValues(values.outputs.at("DCR"), {1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7});
  expectValues(values.outputs.at("CRD"), {1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
}

// Opset 11 has it over all axes from that one on, OpenCV and later ones along it alone.
TEST(NetOracleNodes, ASoftmaxOfAConvertedFileIsAlongOneAxis) {
  Proto proto = layerModel();
  proto.mutable_opset_import(0)->set_version(11);
  onnx::setAttribute(addNode(proto, "Softmax", {"image"}, {"shares"}), "axis", std::int64_t{1});
  addOutput(proto, "shares");
  const onnx::Model model(std::move(proto));
  const auto sums = [&](Dialect dialect) {
    return runNet(model, {{"image", image()}}, dialect).outputs.at("shares").sum(1);
  };
  EXPECT_LE(relativeError(sums(Dialect::openCv), at::ones({1, 1, 5}, at::kDouble)), 1e-12);
  EXPECT_NEAR(sums(Dialect::onnx).sum().item<double>(), 1, 1e-12);
}

TEST(NetOracleNodes, RefusalsNameTheNode) {
  Proto unknown = layerModel();
  addNode(unknown, "Softsign", {"image"}, {"out"});
  EXPECT_NE(refusalOf(unknown, "out").find("Softsign"), std::string::npos);
  Proto foreign = layerModel();
  addLayer(foreign, "Relu", "tokens", {"image"}, {"out"});
  EXPECT_NE(refusalOf(foreign, "out").find("mpm Relu"), std::string::npos);
}

TEST(NetOracleNodes, RowsOfOtherTokensAreRefused) {
  Proto model = mergingModel();
  addConstant(model, "scale", {2}, {1, 1});
  addLayer(model, "Normalize", "tokens,rows,scale", {"tokens", "rows", "scale"}, {"out"});
  EXPECT_NE(refusalOf(model, "out").find("'out_node'"), std::string::npos)
      << refusalOf(model, "out");
  Proto map = mergingModel();
  onnx::setAttribute(addLayer(map, "MergeRestore", "tokens,map", {"tokens", "map"}, {"out"}),
                     "special", std::int64_t{1});
  EXPECT_NE(refusalOf(map, "out").find("contradict"), std::string::npos);
}

}  // namespace
}  // namespace mpm::test
