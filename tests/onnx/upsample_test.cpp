// SPDX-License-Identifier: Apache-2.0
// Which resizes become the layer mpm.Upsample.
#include "onnx/layers/planes.h"

#include <gtest/gtest.h>

#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

Model withLayers(ModelProto proto) {
  Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::useUpsample(model, [&](const std::string& value) { return values.dims(value); });
  model.removeDead();
  return model;
}

onnx::Node& addResize(ModelProto& proto, const std::string& from, const std::string& place,
                      const Integers& sizes) {
  addIntegerConstant(proto, "sizes", sizes);
  auto& node = addNode(proto, "Resize", {from, "", "", "sizes"}, {"y"});
  setAttribute(node, "mode", std::string("linear"));
  setAttribute(node, "coordinate_transformation_mode", place);
  return node;
}

bool isLayer(const onnx::Node& node) {
  return node.domain() == "mpm" && node.op_type() == "Upsample";
}

TEST(OnnxUpsample, LinearBySizes) {
  for (const char* place : {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}) {
    for (const std::int64_t batch : {-1, 2}) {
      auto proto = modelFromX({batch, 3, 4, 5});
      addResize(proto, "x", place, {2, 3, 40, 3});
      const Model model = withLayers(std::move(proto));
      ASSERT_EQ(model.nodes().size(), 1U);
      const onnx::Node& node = *model.nodes()[0];
      EXPECT_TRUE(isLayer(node));
      EXPECT_EQ(node.input_size(), 1);
      EXPECT_EQ(node.input(0), "x");
      EXPECT_EQ(node.output(0), "y");
      EXPECT_EQ(onnx::intsAttribute(node, "size"), (Integers{40, 3}));
      EXPECT_EQ(onnx::stringAttribute(node, "mode"), place);
      EXPECT_FALSE(onnx::findAttribute(node, "scale"));
      EXPECT_FALSE(onnx::findAttribute(node, "grid"));
    }
  }
}

TEST(OnnxUpsample, LinearByScales) {
  auto proto = modelFromX({-1, 3, 4, 5});
  addConstant(proto, "scales", {4}, {1, 1, 1.5F, 2});
  setAttribute(addNode(proto, "Resize", {"x", "", "scales"}, {"y"}), "mode", std::string("linear"));
  const Model model = withLayers(std::move(proto));
  ASSERT_TRUE(isLayer(*model.nodes()[0]));
  EXPECT_EQ(onnx::floatsAttribute(*model.nodes()[0], "scale"), (std::vector<float>{1.5F, 2}));
  EXPECT_EQ(onnx::stringAttribute(*model.nodes()[0], "mode"), "half_pixel");
  EXPECT_FALSE(onnx::findAttribute(*model.nodes()[0], "size"));
}

TEST(OnnxUpsample, EverythingElseStays) {
  const auto stays = [](const Integers& dims, const Integers& sizes, const auto& change) {
    auto proto = modelFromX(dims);
    change(addResize(proto, "x", "half_pixel", sizes));
    return typesOf(withLayers(std::move(proto))) == Strings{"Resize"};
  };
  const auto set = [](const char* name, const auto& value) {
    return [=](onnx::Node& node) { setAttribute(node, name, value); };
  };
  const Integers dims = {1, 3, 4, 5}, sizes = {1, 3, 8, 10};
  EXPECT_TRUE(stays(dims, sizes, set("mode", std::string("nearest"))));
  EXPECT_TRUE(stays(dims, sizes, set("mode", std::string("cubic"))));
  EXPECT_TRUE(stays(dims, sizes, set("antialias", std::int64_t{1})));
  EXPECT_TRUE(stays(dims, sizes, set("keep_aspect_ratio_policy", std::string("not_larger"))));
  for (const char* place : {"half_pixel_symmetric", "tf_crop_and_resize"}) {
    EXPECT_TRUE(stays(dims, sizes, set("coordinate_transformation_mode", std::string(place))));
  }
  const auto nothing = [](onnx::Node&) {};
  EXPECT_TRUE(stays(dims, {1, 6, 8, 10}, nothing));
  EXPECT_TRUE(stays({1, -1, 4, 5}, sizes, nothing));
  EXPECT_TRUE(stays({3, 4, 5}, {3, 8, 10}, nothing));
  EXPECT_TRUE(stays(dims, {1, 3, 8, 1 << 20}, nothing));
}

struct Turned {
  Integers order = {0, 2, 1}, target = {-1, 4, 3, 5};
};

Strings inputOfLayer(const Turned& turned, Integers* grid = nullptr) {
  auto proto = modelFromX({-1, 15, 4});
  setAttribute(addNode(proto, "Transpose", {"x"}, {"turned"}), "perm", turned.order);
  addIntegerConstant(proto, "target", turned.target);
  addNode(proto, "Reshape", {"turned", "target"}, {"planes"});
  addResize(proto, "planes", "half_pixel", {1, turned.target[1], 24, 40});
  const Model model = withLayers(std::move(proto));
  const onnx::Node& node = *model.nodes().back();
  if (!isLayer(node)) return {};
  if (grid != nullptr) *grid = onnx::intsAttribute(node, "grid").value_or(Integers{});
  return typesOf(model);
}

TEST(OnnxUpsample, ScoresThatArePlanesOfAGrid) {
  Integers grid;
  EXPECT_EQ(inputOfLayer({}, &grid), Strings{"Upsample"});
  EXPECT_EQ(grid, (Integers{3, 5}));
}

TEST(OnnxUpsample, OtherPlanesAreNoScores) {
  const Strings all = {"Transpose", "Reshape", "Upsample"};
  EXPECT_EQ(inputOfLayer({{0, 1, 2}, {-1, 4, 3, 5}}), all);
  EXPECT_EQ(inputOfLayer({{0, 2, 1}, {-1, 2, 6, 5}}), all) << "mixes channels with places";
}

}  // namespace
}  // namespace mpm::test
