// SPDX-License-Identifier: Apache-2.0
// Models that exporters wrote: every dimension is known at a fixed size, the outputs have the
// shapes that ONNX Runtime gave them, and with an open batch little arithmetic of shapes is left.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "in_project.h"
#include "onnx/graph/file.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/shape_case.h"

namespace mpm::test {
namespace {

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

TEST(OnnxModels, EveryShapeIsKnownAtAFixedSize) {
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

TEST(OnnxModels, NoShapeIsComputedAtAFixedSize) {
  for (const Fixture& fixture : fixtures()) {
    Model model = modelOf(fixture);
    if (hasBranches(model)) continue;
    onnx::fold(model, onnx::Values(model, inputDims(model, fixture)));
    for (const auto* node : model.nodes()) {
      EXPECT_NE(node->op_type(), "Shape") << fixture.name;
    }
  }
}

TEST(OnnxModels, NoReshapeIsComputedWithAnOpenBatch) {
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
