// SPDX-License-Identifier: Apache-2.0
// Nodes over constants that contradict themselves, which no exporter writes and a file may hold.
#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "onnx/fold_case.h"
#include "onnx/shape_case.h"

namespace mpm::test {
namespace {

TEST(OnnxFoldHostile, ACol2ImWhoseKernelIsNotItsBlockStays) {
  const auto dims = [](std::int64_t kernel) {
    auto proto = start();
    addConstant(proto, "columns", {1, 1, 1}, {7});
    addIntegers(proto, "image", {1, 1});
    addIntegers(proto, "block", {1, 1});
    auto& node = addNode(proto, "Col2Im", {"columns", "image", "block"}, {"y"});
    onnx::setAttribute(node, "kernel_shape", Integers{kernel, kernel});
    proto.mutable_graph()->mutable_input(0)->set_name("picture");
    addNode(proto, "Use", {"picture", "y"}, {"end"}).set_domain("mpm");
    addOutput(proto, "end");
    Model model(std::move(proto));
    onnx::fold(model);
    return dimsOfY(model);
  };
  EXPECT_EQ(dims(1), (Integers{1, 1, 1, 1}));
  EXPECT_EQ(dims(64), Integers{-999});
}

TEST(OnnxFoldHostile, AScatterIntoNothingTakesNothing) {
  const auto scattered = [](const Integers& data, const Integers& updates) {
    auto proto = start();
    const auto zeros = [](const Integers& dims) {
      std::size_t count = 1;
      for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
      return std::vector<float>(count);
    };
    addConstant(proto, "data", data, zeros(data));
    addConstant(proto, "updates", updates, zeros(updates));
    *proto.mutable_graph()->add_initializer() = onnx::integerTensor("indices", {1, 1}, {0});
    addNode(proto, "ScatterND", {"data", "indices", "updates"}, {"y"});
    return dimsOfY(folded(std::move(proto)));
  };
  EXPECT_EQ(scattered({2, 3}, {1, 3}), (Integers{2, 3}));
  EXPECT_EQ(scattered({2, 0}, {1, 0}), (Integers{2, 0}));
  EXPECT_EQ(scattered({2, 0}, {1}), Integers{-999});
}

TEST(OnnxFoldHostile, AScatteredSumThatItsTypeDoesNotHoldStays) {
  const auto sum = [](std::int64_t update) {
    auto proto = start();
    addIntegers(proto, "data", {kMax - 1});
    *proto.mutable_graph()->add_initializer() = onnx::integerTensor("indices", {1, 1}, {0});
    addIntegers(proto, "updates", {update});
    auto& node = addNode(proto, "ScatterND", {"data", "indices", "updates"}, {"y"});
    onnx::setAttribute(node, "reduction", std::string("add"));
    return valuesOfY(folded(std::move(proto)));
  };
  EXPECT_EQ(sum(1), Integers{kMax});
  EXPECT_EQ(sum(2), Integers{-999});
}

TEST(OnnxFoldHostile, ASplitWithoutOutputsHasNoShapes) {
  auto proto = opsetModel(17, {{4, 9}});
  addNode(proto, "Split", {"a"}, {});
  addNode(proto, "Neg", {"a"}, {"y"});
  EXPECT_EQ(dimsIn(std::move(proto), "y"), (Integers{4, 9}));
}

TEST(OnnxFoldHostile, PadsThatNoNumberHoldsStay) {
  auto proto = start();
  addIntegers(proto, "data", {1, 2, 3});
  addIntegers(proto, "pads", {kMin, kMax});
  addNode(proto, "Pad", {"data", "pads"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), Integers{-999});
}

// Windows as large as their picture, everywhere: 2^46 steps, where nothing held them back.
TEST(OnnxFoldHostile, LargeWindowsCostLittle) {
  constexpr double kPatience = 30;  // seconds of this process: others may compute meanwhile
  for (const char* type : {"AveragePool", "MaxPool"}) {
    auto proto = start();
    addIntegers(proto, "dims", {1, 1, 4096, 4096});
    addNode(proto, "ConstantOfShape", {"dims"}, {"picture"});
    auto& node = addNode(proto, type, {"picture"}, {"y"});
    onnx::setAttribute(node, "kernel_shape", Integers{4096, 4096});
    onnx::setAttribute(node, "pads", Integers{2048, 2048, 2047, 2047});
    const std::clock_t begun = std::clock();
    EXPECT_EQ(dimsOfY(folded(std::move(proto))), Integers{-999}) << type;
    EXPECT_LT(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, kPatience) << type;
  }
}

}  // namespace
}  // namespace mpm::test
