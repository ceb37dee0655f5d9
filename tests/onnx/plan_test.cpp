// SPDX-License-Identifier: Apache-2.0
// Merges that are kept, enabled, and left out of a plan.
#include "onnx/layers/plan.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/translate.h"
#include "onnx/small_vit.h"

namespace mpm::test {
namespace {

using onnx::Plan;

Plan::NewNode layer(const char* type, const Strings& inputs, const Strings& outputs) {
  Plan::NewNode added;
  added.node.set_domain("mpm");
  added.node.set_op_type(type);
  added.node.set_name(outputs.front());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    added.node.add_input(inputs[i]);
    added.inputNames.push_back(i == 0 ? "tokens" : i == 1 ? "rows" : "map");
  }
  for (const std::string& output : outputs) added.node.add_output(output);
  return added;
}

Plan::NewNode merge(std::int64_t block, const Strings& inputs, const std::string& name) {
  Plan::NewNode added = layer("MutualPairMerge", inputs, {name, name + "/rows", name + "/map"});
  onnx::setAttribute(added.node, "before_block", block);
  return added;
}

// Merges before 0, 1 and 2; "y" reads restored rows.
Plan threeMerges() {
  Plan plan;
  plan.nodes = {merge(0, {"embed"}, "m0"),
                layer("TransformerBlock", {"m0", "m0/rows"}, {"b0"}),
                merge(1, {"b0", "m0/rows", "m0/map"}, "m1"),
                layer("TransformerBlock", {"m1", "m1/rows"}, {"b1"}),
                merge(2, {"b1", "m1/rows", "m1/map"}, "m2"),
                layer("TransformerBlock", {"m2", "m2/rows"}, {"b2"}),
                layer("MergeRestore", {"b2", "m2/map"}, {"r"})};
  plan.nodes.back().inputNames = {"tokens", "map"};
  plan.redirect = {{"y", "r"}};
  return plan;
}

TEST(Plan, NumbersForSomeFeaturesOfALayer) {
  auto proto = emptyModel();
  addConstant(proto, "weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  addConstant(proto, "bias", {3}, {1, 2, 3});
  const onnx::Model model(std::move(proto));
  const std::vector<onnx::LinearRows> rows{{"weight", "bias", false, {2, 0}, {}, {10, 100}, {7, 8}},
                                           {"weight", "", false, {1}, {}}};
  std::vector<float> matrix(6), sums(3);
  onnx::matrixWeight(model, "weight", rows).read(model, matrix.data());
  EXPECT_EQ(matrix, (std::vector<float>{30, 60, 100, 400, 2, 5}));
  std::vector<onnx::Weight> biases;
  ASSERT_TRUE(onnx::addBias(model, "bias", rows, biases));
  biases.front().read(model, sums.data());
  EXPECT_EQ(sums, (std::vector<float>{37, 108, 0}));
  EXPECT_TRUE(onnx::addBias(model, "bias", {{"weight", "", false, {1}, {}, {}, {7}}}, biases))
      << "what is added where the layer adds nothing";
}

// "type(inputs)", with the names of the layer's inputs.
Strings textOf(const Plan& plan) {
  Strings all;
  for (const Plan::NewNode& added : plan.nodes) {
    std::string text = added.node.op_type() + "(";
    for (int i = 0; i < added.node.input_size(); ++i) {
      if (i > 0) text += ", ";
      text += added.inputNames.at(static_cast<std::size_t>(i)) + " " + added.node.input(i);
    }
    all.push_back(text + ")");
  }
  return all;
}

std::vector<int> enabledIn(const Plan& plan) {
  std::vector<int> blocks;
  for (const Plan::NewNode& added : plan.nodes) {
    if (onnx::intAttribute(added.node, "enabled").value_or(0) != 0)
      blocks.push_back(static_cast<int>(*onnx::intAttribute(added.node, "before_block")));
  }
  return blocks;
}

TEST(Plan, KeepsTheMergesOfTheScheduleAlone) {
  Plan plan = threeMerges();
  const auto outputs = onnx::keepMerges(plan, {1});
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].rows, "m1/rows");
  EXPECT_EQ(outputs[0].map, "m1/map");
  EXPECT_EQ(textOf(plan), (Strings{"TransformerBlock(tokens embed)", "MutualPairMerge(tokens b0)",
                                   "TransformerBlock(tokens m1, rows m1/rows)",
                                   "TransformerBlock(tokens b1, rows m1/rows)",
                                   "MergeRestore(tokens b2, map m1/map)"}));
  EXPECT_EQ(enabledIn(plan), (std::vector<int>{1}));
}

TEST(Plan, AMergeBehindOneThatGoesTakesWhatThatOneTook) {
  Plan plan = threeMerges();
  EXPECT_EQ(onnx::keepMerges(plan, {0, 2}).at(0).map, "m2/map");
  EXPECT_EQ(textOf(plan)[3], "MutualPairMerge(tokens b1, rows m0/rows, map m0/map)");
  EXPECT_EQ(enabledIn(plan), (std::vector<int>{0, 2}));
}

TEST(Plan, WithoutMergesNothingIsRestored) {
  Plan plan = threeMerges();
  EXPECT_TRUE(onnx::keepMerges(plan, {}).empty());
  EXPECT_EQ(textOf(plan), (Strings{"TransformerBlock(tokens embed)", "TransformerBlock(tokens b0)",
                                   "TransformerBlock(tokens b1)"}));
  EXPECT_EQ(plan.redirect.front().second, "b2");
}

TEST(Plan, EnablesMergesAndKeepsTheOthers) {
  Plan plan = threeMerges();
  const Strings before = textOf(plan);
  const auto outputs = onnx::enableMerges(plan, {0});
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].rows, "m2/rows") << "the last merge, enabled or not";
  EXPECT_EQ(outputs[0].map, "m2/map");
  EXPECT_EQ(textOf(plan), before);
  EXPECT_EQ(enabledIn(plan), (std::vector<int>{0}));
  onnx::enableMerges(plan, {1, 2});
  EXPECT_EQ(enabledIn(plan), (std::vector<int>{1, 2})) << "the schedule before is gone";
}

TEST(Plan, RenamesAValueWhereverItStands) {
  Plan plan = threeMerges();
  plan.redirect.emplace_back("m1/map", "m1/map");
  onnx::renameValue(plan, "m1/map", "mpm_map");
  EXPECT_EQ(plan.nodes[2].node.output(2), "mpm_map");
  EXPECT_EQ(plan.nodes[4].node.input(2), "mpm_map");
  EXPECT_EQ(plan.redirect.back().second, "mpm_map");
  EXPECT_EQ(plan.redirect.back().first, "m1/map") << "a value of the model keeps its name";
  EXPECT_EQ(plan.redirect.front().second, "r");
}

TEST(Plan, AppliedToItsModel) {
  for (const onnx::Weights weights : {onnx::Weights::inFile, onnx::Weights::elsewhere}) {
    const bool isFile = weights == onnx::Weights::inFile;
    const Looked looked(smallVit(2));
    onnx::Translation translation = onnx::translate(looked.facts(), {});
    ASSERT_EQ(translation.encoder.obstacle, "");
    Plan plan = std::move(translation.plan);
    onnx::keepMerges(plan, {1});
    Model model(smallVit(2));
    plan.remove = {model.producer("y")};
    onnx::apply(model, std::move(plan), weights);
    Strings types;
    for (const auto* node : model.nodes()) types.push_back(node->op_type());
    Strings expected{"PatchEmbed",       "TransformerBlock", "MutualPairMerge",
                     "TransformerBlock", "Normalize",        "MergeRestore"};
    for (std::string& type : expected) type = (isFile ? "" : "mpm.") + type;
    expected.push_back("Identity");
    EXPECT_EQ(types, expected);
    EXPECT_EQ(model.constant("mpm/block_0/fc1_weight").has_value(), isFile);
    EXPECT_EQ(model.opset("mpm"), isFile ? 1 : 0);
  }
}

}  // namespace
}  // namespace mpm::test
