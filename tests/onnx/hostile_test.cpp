// SPDX-License-Identifier: Apache-2.0
// Graphs that contradict themselves, or would cost without end, which no exporter writes and a file
// may hold. What a whole file may be is in read_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "in_project.h"
#include "onnx/exercise.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/graph_text.h"
#include "onnx/layers/subgraphs.h"
#include "onnx/normal_form/fold.h"
#include "onnx/operators/values.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using Integers = std::vector<std::int64_t>;

const std::string kMax = std::to_string(std::numeric_limits<std::int64_t>::max());
const std::string kMin = std::to_string(std::numeric_limits<std::int64_t>::min());

// The sizes of the constant that "y" becomes; nothing where its node stays.
Integers foldedTo(const std::string& text) {
  onnx::Model model(graph(text + "\nend = mpm:Use(y)\nout end"));
  onnx::fold(model);
  const auto constant = model.constant("y");
  return constant ? constant->dims() : Integers{-999};
}

TEST(Hostile, NodesThatContradictThemselvesStay) {
  const Integers stays = {-999};
  const std::string columns = "y = Col2Im(float(1, 1, 1){7}, [1, 1], [1, 1]) kernel_shape=";
  EXPECT_EQ(foldedTo(columns + "[1, 1]"), (Integers{1, 1, 1, 1}));
  EXPECT_EQ(foldedTo(columns + "[64, 64]"), stays);
  EXPECT_EQ(foldedTo("y = ScatterND(fill(0, 2, 3), int64(1, 1){0}, fill(0, 1, 3))"),
            (Integers{2, 3}));
  EXPECT_EQ(foldedTo("y = ScatterND(fill(0, 2, 0), int64(1, 1){0}, fill(0, 1, 0))"),
            (Integers{2, 0}));
  EXPECT_EQ(foldedTo("y = ScatterND(fill(0, 2, 0), int64(1, 1){0}, fill(0, 1))"), stays);
  const std::string sum = "y = ScatterND([9223372036854775806], int64(1, 1){0}, ";
  EXPECT_EQ(foldedTo(sum + "[1]) reduction='add'"), Integers{1});
  EXPECT_EQ(foldedTo(sum + "[2]) reduction='add'"), stays) << "its type does not hold it";
  EXPECT_EQ(foldedTo("y = Pad([1, 2, 3], [" + kMin + ", " + kMax + "])"), stays);
  ::onnx::ModelProto split = graph("a[4, 9]\ny = Neg(a)");
  addNode(split, "Split", {"a"}, {});
  const onnx::Model model(std::move(split));
  EXPECT_EQ(*onnx::Values(model).dims("y"), (Integers{4, 9}));
}

// Far from what any of these take, about a second, but less than they would if nothing held them
// back; of this process, since others may compute meanwhile.
constexpr double kPatience = 30;

double seconds(::onnx::ModelProto proto) {
  onnx::Model model(std::move(proto));
  const std::clock_t begun = std::clock();
  onnx::fold(model);
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

// So many nodes, each text with its number for $.
std::string many(int count, const std::string& node) {
  std::string text;
  for (int i = 0; i < count; ++i) text += replaced(node, "$", std::to_string(i)) + "\n";
  return text;
}

TEST(Hostile, ManyResultsCostLittle) {
  const std::string end = "image[1, 3]\nend = mpm:Use(image)\nout end\n";
  for (const std::string type : {"Exp", "Reciprocal", "Shape", "ReduceSum", "Not"}) {
    EXPECT_LT(seconds(graph(end + "v = ConstantOfShape([2048, 4096])\n" +
                            many(3000, "v$ = " + type + "(v)"))),
              kPatience)
        << type;
  }
  std::string column = "[" + many(2047, "1");
  std::replace(column.begin(), column.end(), '\n', ' ');
  column += kMax + "]";  // a product that fails late
  EXPECT_LT(seconds(graph(end + "row = Identity(" + column + ")\ntall = Unsqueeze(row, [1])\n" +
                          many(3000, "v$ = Mul(row, tall)"))),
            kPatience);
  EXPECT_LT(seconds(graph(
                end + "deep = ConstantOfShape([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])\n" +
                many(3000, "d$ = Transpose(deep)"))),
            kPatience);
  ::onnx::ModelProto parts = graph(end);
  addConstant(parts, "full", {1 << 20, 1}, std::vector<float>(1 << 20));
  addConstant(parts, "empty", {1 << 20, 0}, {});
  Strings names = {"full"};
  names.resize(20000, "empty");
  onnx::setAttribute(addNode(parts, "Concat", names, {"y"}), "axis", std::int64_t{1});
  EXPECT_LT(seconds(std::move(parts)), kPatience) << "empty parts";
  ::onnx::ModelProto axes = graph(end);
  *axes.mutable_graph()->add_initializer() =
      onnx::integerTensor("dims", {10000}, Integers(10000, 1));
  addNode(axes, "ConstantOfShape", {"dims"}, {"flat"});
  for (int i = 0; i < 3000; ++i) {
    addNode(axes, "Transpose", {"flat"}, {"f" + std::to_string(i)});
    addNode(axes, "Expand", {"image", "dims"}, {"e" + std::to_string(i)});
  }
  EXPECT_LT(seconds(std::move(axes)), kPatience) << "ten thousand axes";
}

// Windows as large as their picture, everywhere: 2^46 steps, where nothing held them back.
TEST(Hostile, LargeWindowsAndLongChainsStay) {
  for (const std::string type : {"AveragePool", "MaxPool"}) {
    const std::clock_t begun = std::clock();
    EXPECT_EQ(foldedTo("p = ConstantOfShape([1, 1, 4096, 4096])\ny = " + type +
                       "(p) kernel_shape=[4096, 4096] pads=[2048, 2048, 2047, 2047]"),
              Integers{-999});
    EXPECT_LT(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, kPatience) << type;
  }
  std::string text = "v0 = MatMul(fill(0, 512, 512), fill(0, 512, 512))\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = std::to_string(i - 1);
    text += (i == 19 ? "y" : "v" + std::to_string(i)) + " = MatMul(v" + before + ", v0)\n";
  }
  EXPECT_EQ(foldedTo(text), Integers{-999}) << "products that take long";
  onnx::Model model(
      graph(many(20, "v$ = ConstantOfShape([2048, 2048])\nu$ = mpm:Use(v$)") + "out u0, u19"));
  EXPECT_EQ(onnx::fold(model), 9) << "forty million elements";
  // It costs what it makes, whatever it reads.
  EXPECT_EQ(foldedTo("y = Einsum(fill(2, 4096), fill(3, 64)) equation='i,j->ij'"),
            (Integers{4096, 64}));
}

TEST(Hostile, AChainOfSizesCostsNoStack) {
  constexpr int kLength = 100000;
  ::onnx::ModelProto proto =
      graph("x[-1, 4]\ns0 = Shape(x)\ny = Reshape(x, s" + std::to_string(kLength) + ")\nout y");
  for (int i = 0; i < kLength; ++i)
    addNode(proto, "Neg", {"s" + std::to_string(i)}, {"s" + std::to_string(i + 1)});
  onnx::Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::takeSubgraphs(
      model, [&](const std::string& value) { return values.dims(value); },
      [&](const std::string& value) { return values.type(value); });
  ASSERT_EQ(model.nodes().size(), 1U);
  EXPECT_EQ(model.nodes()[0]->op_type(), "Subgraph");
}

// Tables of the size that BEiT has at 512 x 512, 12 heads of 1025 x 1025, are made, and what they
// are made of is let go.
TEST(Hostile, TablesOfLargePicturesAreMade) {
  ::onnx::ModelProto proto = graph(R"(image[1, 3]
zeros = ConstantOfShape([1025, 1025]); places = Cast(zeros) to=7; gathered = Gather(fill(0.5, 16, 12), places)
shaped = Reshape(gathered, [1025, 1025, 12]); y = Transpose(shaped) perm=[2, 0, 1]
other = mpm:Use(image, weights); end = mpm:Use(image, y); out other, end)");
  addConstant(proto, "weights", {1 << 20, 8}, std::vector<float>(1 << 23));  // what a model has
  onnx::Model model(std::move(proto));
  const onnx::Values values(model);
  ASSERT_NE(values.content("y"), nullptr);
  for (const char* name : {"zeros", "places", "gathered", "shaped"})
    EXPECT_EQ(values.content(name), nullptr) << name;
  onnx::fold(model, values);
  EXPECT_EQ(model.constant("y")->dims(), (Integers{12, 1025, 1025}));
}

// The fuzzer's corpus, in every build and with every compiler.
TEST(Corpus, IsReadOrRefusedWithASentence) {
  int models = 0;
  int accepted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(inProject("tests/onnx/corpus"))) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string bytes = text.str();
    const bool isGood = exerciseModel(bytes.data(), bytes.size());
    if (entry.path().filename().string().rfind("refused_", 0) == 0) {
      EXPECT_FALSE(isGood);
    } else {
      EXPECT_TRUE(isGood);
    }
    ++models;
    accepted += isGood;
  }
  EXPECT_GE(models, 12);
  EXPECT_GE(accepted, 6);
}

}  // namespace
}  // namespace mpm::test
