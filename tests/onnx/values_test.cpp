// SPDX-License-Identifier: Apache-2.0
// What is known of a model's values: from inputs, from the file, from constants; and of models that
// exporters wrote.
#include "onnx/operators/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "in_project.h"
#include "onnx/graph/file.h"
#include "onnx/graph_text.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using onnx::Model;
using ::onnx::ModelProto;
using onnx::Values;
using Integers = std::vector<std::int64_t>;
using InputDims = std::unordered_map<std::string, Integers>;

constexpr std::int64_t kOpen = -1;
const Integers kNothing = {-999};

Integers dimsIn(ModelProto proto, const std::string& value, const InputDims& inputs = {}) {
  const Model model(std::move(proto));
  const Values values(model, inputs);
  const Integers* dims = values.dims(value);
  return dims == nullptr ? kNothing : *dims;
}

// The model, whose file says that a value has these sizes.
ModelProto described(const std::string& text, const std::string& value, const Integers& dims) {
  ModelProto proto = graph(text), other = emptyModel();
  addInput(other, value, dims);
  *proto.mutable_graph()->add_value_info() = other.graph().input(0);
  return proto;
}

TEST(Values, SizesOfInputsAndWhatTheFileSays) {
  const Model model(graph("a[-1, 3]\nb[-1, 4]\ny = MatMul(a, b)"));
  const Values file(model), told(model, {{"a", {2, 3}}});
  EXPECT_EQ((*file.namedDims("a"))[0], (*file.namedDims("b"))[0]) << "both are the batch";
  EXPECT_EQ(*told.dims("b"), (Integers{2, 4})) << "the same symbol";
  EXPECT_EQ(*Values(model, {{"a", {-7, std::numeric_limits<std::int64_t>::min()}}}).dims("a"),
            (Integers{kOpen, kOpen}));

  const ModelProto mystery =
      described("a[-1, 3]\ny = com.example:Mystery(a)\nz = Relu(y)", "y", {kOpen, 5});
  EXPECT_EQ(dimsIn(mystery, "z"), (Integers{kOpen, 5}));
  EXPECT_EQ(dimsIn(mystery, "z", {{"a", {2, 3}}}), (Integers{2, 5})) << "the file's symbol";
  EXPECT_EQ(dimsIn(mystery, "z", {{"a", {2, 4}}}), (Integers{2, kOpen})) << "other inputs";

  const std::string relu = "a[-1, 3]\ny = Relu(a)";
  EXPECT_EQ(dimsIn(described(relu, "y", {1, 7}), "y", {{"a", {2, 3}}}), (Integers{2, 3}))
      << "the file is wrong";
  EXPECT_EQ(dimsIn(described(relu, "y", {2, 3}), "y"), (Integers{kOpen, 3}))
      << "what it was written with";
  // As TorchScript writes a network of two pictures, which it was shown two of each.
  const ModelProto both = described("a[-1, 3]\nb = Concat(a, a) axis=0\ny = Relu(b)", "y", {4, 3});
  EXPECT_EQ(dimsIn(both, "y"), (Integers{kOpen, 3}));
  EXPECT_EQ(dimsIn(both, "y", {{"a", {3, 3}}}), (Integers{6, 3}));

  ModelProto unranked = graph(relu);
  unranked.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(dimsIn(unranked, "y"), kNothing);
  EXPECT_EQ(dimsIn(unranked, "y", {{"a", {1, 2}}}), (Integers{1, 2}));
}

TEST(Values, ElementsOfConstantsAndOfShapes) {
  const Model model(
      graph(R"(a[-1, 3]; b[height, width]; same = Identity([4, 5]); some = Shape(a); none = Shape(b)
product = MatMul(a, some(3, 4)); shape = Shape(product); double = Mul(shape, [2])
like = ConstantOfShape(shape); other = ConstantOfShape(double); out same, some, none, like, other)"));
  const Values values(model);
  EXPECT_EQ(values.content("same")->integers, (Integers{4, 5}));
  EXPECT_EQ(values.content("a"), nullptr);
  EXPECT_EQ(values.content("none"), nullptr);
  ASSERT_NE(values.content("some"), nullptr);
  EXPECT_EQ(values.content("some")->sure, (std::vector<char>{0, 1}));
  EXPECT_EQ(values.content("some")->integers[1], 3);
  EXPECT_EQ((*values.namedDims("like"))[0], (*values.namedDims("a"))[0])
      << "sizes keep their names";
  EXPECT_NE((*values.namedDims("other"))[0], (*values.namedDims("a"))[0]);
  EXPECT_EQ(*values.dims("other"), (Integers{kOpen, 8}));
}

TEST(Values, Types) {
  const Model model(graph(
      "a[2]\nhalf = Cast(a) to=10\nstill = Relu(half)\ntruth = Equal(a, a)\nshape = Shape(a)\n"
      "unknown = com.example:Mystery(a)\nout still, truth, shape"));
  const Values values(model);
  EXPECT_EQ(values.type("still"), ::onnx::TensorProto::FLOAT16);
  EXPECT_EQ(values.type("truth"), ::onnx::TensorProto::BOOL);
  EXPECT_EQ(values.type("shape"), ::onnx::TensorProto::INT64);
  EXPECT_EQ(values.type("unknown"), 0);
}

namespace fs = std::filesystem;

std::string contentOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The shape in the header of a NumPy file: "... 'shape': (2, 3, 48, 64), ...".
Integers shapeOf(const fs::path& file) {
  const std::string text = contentOf(file).substr(0, 256);
  const auto begin = text.find('(') + 1;
  std::istringstream numbers(text.substr(begin, text.find(')') - begin));
  Integers shape;
  for (std::string number; std::getline(numbers, number, ',');) {
    if (number.find_first_of("0123456789") != std::string::npos)
      shape.push_back(std::stoll(number));
  }
  return shape;
}

struct Fixture {
  std::string name, family;
  Integers input;  // dims of the images it was run on
};

std::vector<Fixture> fixtures() {
  const fs::path folder = inProject("tests/models");
  const std::string list = contentOf(folder / "models.json");
  std::vector<Fixture> all;
  const auto textAfter = [&](const std::string& key, std::size_t from) {
    const auto begin = list.find('"', list.find("\"" + key + "\":", from) + key.size() + 3) + 1;
    return list.substr(begin, list.find('"', begin) - begin);
  };
  for (auto at = list.find("\"name\":"); at != std::string::npos;
       at = list.find("\"name\":", at + 1)) {
    all.push_back(
        {textAfter("name", at), textAfter("family", at), shapeOf(folder / textAfter("input", at))});
  }
  return all;
}

// Whole numbers become reals before anything else is asked.
Model modelOf(const Fixture& fixture) {
  Model model =
      onnx::readModel((fs::path(inProject("tests/models")) / (fixture.name + ".onnx")).string());
  onnx::dequantise(model);
  return model;
}

// The images' dims for the model's one input; as many of them as it takes.
InputDims inputDims(const Model& model, const Fixture& fixture) {
  const auto input = model.inputs().at(0);
  Integers dims = fixture.input;
  if (input.dims.at(0).isKnown()) dims[0] = input.dims[0].size;
  return {{input.name, dims}};
}

// Branches are taken before anything else of a model is asked for.
bool hasBranches(const Model& model) {
  return std::any_of(model.nodes().begin(), model.nodes().end(),
                     [](const auto* node) { return node->op_type() == "If"; });
}

TEST(ValuesOfModels, EveryShapeIsKnownAtAFixedSize) {
  ASSERT_FALSE(fixtures().empty());
  for (const Fixture& fixture : fixtures()) {
    const Model model = modelOf(fixture);
    if (hasBranches(model)) continue;
    const onnx::Values values(model, inputDims(model, fixture));
    for (const auto* node : model.nodes()) {
      for (const auto& output : node->output()) {
        if (output.empty()) continue;
        const Integers* dims = values.dims(output);
        ASSERT_NE(dims, nullptr) << fixture.name << ": " << output;
        EXPECT_EQ(std::count(dims->begin(), dims->end(), -1), 0) << fixture.name << ": " << output;
        EXPECT_NE(values.type(output), 0) << fixture.name << ": " << output;
      }
    }
    for (const auto& output : model.outputs()) {
      const auto file =
          fs::path(inProject("tests/models")) / (fixture.name + "." + output.name + ".npy");
      if (fs::exists(file)) {
        EXPECT_EQ(*values.dims(output.name), shapeOf(file)) << file;
      }
    }
  }
}

TEST(ValuesOfModels, NoShapeIsComputedAtAFixedSize) {
  for (const Fixture& fixture : fixtures()) {
    Model model = modelOf(fixture);
    if (hasBranches(model)) continue;
    onnx::fold(model, onnx::Values(model, inputDims(model, fixture)));
    for (const auto* node : model.nodes()) {
      EXPECT_NE(node->op_type(), "Shape") << fixture.name;
    }
  }
}

TEST(ValuesOfModels, NoReshapeIsComputedWithAnOpenBatch) {
  for (const Fixture& fixture : fixtures()) {
    // Blocks that make windows anew divide the batch by how many there are, and go as a whole.
    if (fixture.family == "windows anew") continue;
    Model model = modelOf(fixture);
    InputDims dims = inputDims(model, fixture);
    if (!model.inputs()[0].dims[0].isKnown()) dims.begin()->second[0] = kOpen;
    const onnx::Values values(model, dims);
    onnx::fold(model, values);
    onnx::settleReshapes(model, values);
    for (const auto* node : model.nodes()) {
      if (node->op_type() != "Reshape") continue;
      EXPECT_TRUE(model.constant(node->input(1))) << fixture.name << ": " << node->name();
    }
  }
}

}  // namespace
}  // namespace mpm::test
