// SPDX-License-Identifier: Apache-2.0
// What operators make of constants, against ONNX Runtime's numbers and those computed by hand, and
// which nodes stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "in_project.h"
#include "onnx/graph/file.h"
#include "onnx/graph/model.h"
#include "onnx/graph_text.h"
#include "onnx/normal_form/fold.h"
#include "onnx/operators/interpreter.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"
#include "onnx/operators/values.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

// make_operators.py wrote the fixture: nodes over constants, and what ONNX Runtime makes of each.
void expectKnown(const onnx::KnownTensor& found, const onnx::KnownTensor& expected) {
  ASSERT_EQ(found.dims, expected.dims);
  EXPECT_TRUE(found.isSure());
  if (!expected.isFloat()) {
    EXPECT_EQ(found.integers, expected.integers);
    return;
  }
  ASSERT_TRUE(found.isFloat());
  for (std::size_t i = 0; i < expected.count(); ++i) {
    const double right = static_cast<double>(expected.floats[i]);
    EXPECT_NEAR(static_cast<double>(found.floats[i]), right,
                kVitOperation * std::max(1.0, std::fabs(right)))
        << "element " << i;
  }
}

TEST(Operators, GiveWhatOnnxRuntimeGives) {
  const onnx::Model model = onnx::readModel(inProject("tests/onnx/fixtures/operators.onnx"));
  ASSERT_GT(model.nodes().size(), 130U);
  for (const onnx::Node* node : model.nodes()) {
    SCOPED_TRACE(node->name());
    ASSERT_TRUE(onnx::isInterpreted(*node));
    std::vector<std::optional<onnx::KnownTensor>> inputs;
    for (const auto& input : node->input()) {
      const auto constant = model.constant(input);
      inputs.push_back(constant ? onnx::toKnownTensor(*constant) : std::nullopt);
    }
    onnx::Call call{*node, {}, model.opset()};
    for (const auto& input : inputs) call.inputs.push_back(input ? &*input : nullptr);
    const onnx::Results results = onnx::findFolder(*node)(call);
    ASSERT_EQ(results.size(), static_cast<std::size_t>(node->output_size()));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto expected = model.constant("expected/" + node->output(static_cast<int>(i)));
      ASSERT_TRUE(expected);
      ASSERT_TRUE(results[i]);
      expectKnown(*results[i], *onnx::toKnownTensor(*expected));
    }
  }
}

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

const std::string kMax = std::to_string(std::numeric_limits<std::int64_t>::max());
const std::string kMin = std::to_string(std::numeric_limits<std::int64_t>::min());

// The model once it is folded, where "y" and "image" [-1, 3, 32, 64] are read by a node of another
// domain, which nobody folds.
onnx::Model folded(const std::string& text) {
  onnx::Model model(graph("image[-1, 3, 32, 64]\n" + text + "\nend = mpm:Use(image, y)\nout end"));
  onnx::fold(model);
  return model;
}

// A row: nodes over constants, and the elements of "y" (and its sizes, where they are given);
// nothing where the node stays.
struct Row {
  std::string text;
  std::optional<Floats> values;
  Integers dims = {-1};
};
const std::nullopt_t kStays = std::nullopt;

void expectRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const onnx::Model model = folded(row.text);
    const auto found = model.constant("y");
    ASSERT_EQ(found.has_value(), row.values.has_value());
    if (!found) continue;
    if (row.dims != Integers{-1}) {
      EXPECT_EQ(found->dims(), row.dims);
    }
    Floats is;
    if (found->isInteger()) {
      for (const std::int64_t each : found->integers()) is.push_back(static_cast<float>(each));
    } else {
      const auto floats = found->floats();
      is.assign(floats.begin(), floats.end());
    }
    ASSERT_EQ(is.size(), row.values->size());
    for (std::size_t i = 0; i < is.size(); ++i) {
      const float right = (*row.values)[i];
      if (std::isinf(right)) {
        EXPECT_EQ(is[i], right) << i;
      } else {
        EXPECT_NEAR(is[i], right, 1e-6F * std::max(1.0F, std::fabs(right))) << i;
      }
    }
  }
}

TEST(Folding, Casts) {
  const std::string real = "y = Cast({3.7, 300, -1}) to=",
                    none = "y = Cast({nan, inf, -inf, 4294967296}) to=";
  constexpr auto kLeast = static_cast<float>(std::numeric_limits<std::int64_t>::min());
  constexpr auto kLeast32 = static_cast<float>(std::numeric_limits<std::int32_t>::min());
  expectRows(
      {{"a = Cast({-1.9, 0, 2.5}) to=6\ny = Cast(a) to=7", Floats{-1, 0, 2}},
       {real + "2", Floats{3, 44, 255}},  // what does not fit is cut off, as ONNX Runtime does
       {real + "3", Floats{3, 44, -1}},
       {real + "4", Floats{3, 300, 65535}},
       {real + "5", Floats{3, 300, -1}},
       {none + "7", Floats{kLeast, kLeast, kLeast, 4294967296.0F}},
       {none + "6", Floats(4, kLeast32)},
       {none + "2", Floats(4, 0)},
       {"y = Cast({-1}) to=13", kStays}});
}

TEST(Folding, Arithmetic) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  expectRows({{"y = Add([7, -7], [-2])", Floats{5, -9}},
              {"y = Sub([7, -7], [-2])", Floats{9, -5}},
              {"y = Mul([7, -7], [-2])", Floats{-14, 14}},
              {"y = Div([7, -7], [-2])", Floats{-3, 3}},
              {"y = Add([" + kMax + "], [1])", kStays},
              {"y = Sub([" + kMin + "], [1])", kStays},
              {"y = Mul([" + kMax + "], [2])", kStays},
              {"y = Div([" + kMin + "], [-1])", kStays},
              {"y = Div([1], [0])", kStays},
              {"y = Div(float(2, 1){1, 2}, {10, 20, 0})",
               Floats{0.1F, 0.05F, kInfinity, 0.2F, 0.1F, kInfinity},
               {2, 3}},
              {"y = Clip([-4, -1, 0, 3], [-1], [2])", Floats{-1, -1, 0, 2}},
              {"y = Clip([-4, 3], [0])", Floats{0, 3}},
              {"y = Clip([-4, 3], [0, 1])", kStays},
              {"y = Neg([-3, 0, 4])", Floats{3, 0, -4}},
              {"y = Abs([-3, 0, 4])", Floats{3, 0, 4}},
              {"y = Neg([" + kMin + "])", kStays},
              {"y = Pow({0.3, 2, 5}, {0.5, 3, -1})", Floats{0.547722578F, 8, 0.2F}},
              {"y = Pow({0.3, 2, 5}, [3])", Floats{0.027F, 8, 125}},
              {"y = Pow([-2, 3, 7], [3, 4, 0])", Floats{-8, 81, 1}},
              {"y = Pow([3], [40])", kStays},
              {"y = Pow([2], [-1])", kStays},
              {"y = Pow([1], [" + kMax + "])", Floats{1}},
              {"y = Mod([-7, -7, 7, 7], [3, -3, 3, -3])", Floats{2, -1, 1, -2}},
              {"y = Mod([5], [0])", kStays},
              {"y = Mod([" + kMin + "], [-1])", kStays},
              {"y = Mod({-7.5, 7.5}, {2, -2}) fmod=1", Floats{-1.5F, 1.5F}},
              {"y = Min([1, 5], [3], [2, 9])", Floats{1, 3}},
              {"y = Max([1, 5], [3], [2, 9])", Floats{3, 9}}});
}

TEST(Folding, ComparisonsAndLogic) {
  expectRows({{"y = Less([1, 2, 3], [2])", Floats{1, 0, 0}},
              {"y = LessOrEqual([1, 2, 3], [2])", Floats{1, 1, 0}},
              {"y = Greater([1, 2, 3], [2])", Floats{0, 0, 1}},
              {"y = GreaterOrEqual([1, 2, 3], [2])", Floats{0, 1, 1}},
              {"a = Less([1, 2, 3, 4], [2])\nb = Greater([1, 2, 3, 4], [3])\nc = Or(a, b)\nd = "
               "Not(c)\ny = And(d, d)",
               Floats{0, 1, 1, 0}},
              // How exporters expand to a shape with -1 for "as it is".
              {"open = Equal([-1, 5], [-1])\ny = Where(open, [1, 1], [-1, 5])", Floats{1, 5}},
              // 2^24 and the number behind it are the same as floats.
              {"y = ArgMax([5, 16777216, 16777217, 5, 16777217])", Floats{2}},
              {"y = ArgMax([5, 16777216, 16777217, 5, 16777217]) select_last_index=1", Floats{4}},
              {"y = ArgMin([5, 16777216, 16777217, 5, 16777217])", Floats{0}},
              {"y = ArgMin([5, 16777216, 16777217, 5, 16777217]) select_last_index=1", Floats{3}}});
}

TEST(Folding, ShapesAndWhatIsMadeOfThem) {
  expectRows({{"y = Shape(float(2, 0){})", Floats{2, 0}},
              {"y = Shape(image) start=-2", Floats{32, 64}},
              {"y = Shape(image)", kStays},
              {"s = Shape(image)\ny = Gather(s, [-1, 2])", Floats{64, 32}},
              {"s = Shape(image)\nd = Mul(s, [2])\ny = Gather(d, [3])", Floats{128}},
              {"s = Shape(image)\ni = Slice(s, [1], [" + kMax + "])\ny = ReduceProd(i) keepdims=0",
               Floats{6144}},
              {"s = Shape(image)\ny = ReduceProd(s)", kStays},
              {"y = ReduceProd([" + kMax + ", 2])", kStays},
              // The scale of attention, as PyTorch writes it.
              {"s = Shape(image)\nd = Slice(s, [-1], [" + kMax +
                   "])\nf = Cast(d) to=1\nr = Sqrt(f)\ny = Div(1.0, r)",
               Floats{0.125F}},
              {"y = Size(float(2, 3){1 2 3 4 5 6})", Floats{6}},
              {"y = ConstantOfShape([2, 3]) value=int64(1){7}", Floats(6, 7), {2, 3}},
              {"y = ConstantOfShape([1])", Floats{0}},
              {"y = ConstantOfShape([8192, 4097])", kStays},
              {"y = Range([1], [6], [2])", Floats{1, 3, 5}},
              {"y = Range([3], [0], [-2])", Floats{3, 1}},
              {"y = Range([3], [0], [1])", Floats{}},
              {"y = Range([0], [3], [0])", kStays},
              {"y = Range([0], [" + kMax + "], [1])", kStays},
              {"y = Range([" + kMin + "], [" + kMax + "], [" + kMax + "])", kStays},
              {"y = Expand([4, 5], [2, 1])", Floats{4, 5, 4, 5}, {2, 2}}});
}

TEST(Folding, WhatMovesElements) {
  const std::string five = "y = Slice([0, 1, 2, 3, 4], ";
  const std::string halves = "a, y = Split([0, 1, 2, 3, 4]";
  expectRows(
      {{"y = Gather(float(2, 3){1 2 3 4 5 6}, int32(2, 1){2, -3}) axis=1",
        Floats{3, 1, 6, 4},
        {2, 2, 1}},
       {"y = Unsqueeze([4, 5], [0, -1])", Floats{4, 5}, {1, 2, 1}},
       {"opset 11\ny = Unsqueeze([4, 5]) axes=[1]", Floats{4, 5}, {2, 1}},
       {"y = Squeeze(float(1, 2, 1){1, 2})", Floats{1, 2}, {2}},
       {"y = Squeeze(float(1, 2, 1){1, 2}, [-1])", Floats{1, 2}, {1, 2}},
       {"y = Concat(float(2, 1){1, 2}, float(2, 2){3 4 5 6}) axis=-1",
        Floats{1, 3, 4, 2, 5, 6},
        {2, 3}},
       {"y = Concat([], [4, 5], []) axis=0", Floats{4, 5}},
       {five + "[1], [3], [0], [1])", Floats{1, 2}},
       {five + "[-2], [" + kMax + "], [0], [1])", Floats{3, 4}},
       {five + "[0], [" + kMax + "], [0], [2])", Floats{0, 2, 4}},
       {five + "[-1], [" + kMin + "], [0], [-2])", Floats{4, 2, 0}},
       {five + "[" + kMin + "], [" + kMax + "], [0], [" + kMax + "])", Floats{0}},
       {five + "[4], [1], [0], [1])", Floats{}},
       {five + "[" + kMax + "], [" + kMin + "], [0], [" + kMin + "])", Floats{4}},
       {five + "[0], [5], [0], [0])", kStays},
       {"opset 9\ns = Shape(image)\ny = Slice(s) starts=[2] ends=[" + kMax + "]", Floats{32, 64}},
       {"y = Reshape(fill(0, 2, 3, 2), [0, -1])", Floats(12, 0), {2, 6}},
       {"y = Flatten(fill(0, 2, 3, 2))", Floats(12, 0), {2, 6}},
       {"y = Transpose(float(2, 3, 1){1 2 3 4 5 6}) perm=[1, 2, 0]",
        Floats{1, 4, 2, 5, 3, 6},
        {3, 1, 2}},
       {"y = Tile(float(1, 2){3, 4}, [2, 2])", Floats{3, 4, 3, 4, 3, 4, 3, 4}, {2, 4}},
       {"opset 11\n" + halves + ") split=[2, 3]", Floats{2, 3, 4}},
       {halves + ", [4, 1])", Floats{4}},
       {"opset 18\n" + halves + ")", Floats{3, 4}},
       {halves + ", [4, 2])", kStays},
       {halves + ", [" + kMax + ", " + kMax + "])", kStays},
       {halves + ", [6, -1])", kStays}});
}

TEST(Folding, ProductsAndNorms) {
  const std::string norm =
      "BatchNormalization(float(2, 2, 2){1 3 0 4 1 3 0 4}, {1, 10}, {0, 5}, {1, 2}, {4, 1})";
  const std::string planes =
      "float(1, 2, 2, 3){1 2 3 4 5 6 10 20 30 40 50 60}, float(2, 2, 1, 1){1 0 2 0.5}, {0, 100})";
  const Floats conv = {1, 2, 3, 4, 5, 6, 107, 114, 121, 128, 135, 142};
  const Floats wide = {1, 3, 4, 6, 107, 121, 128, 142};
  const std::string deep = "float(1, 2, 1, 3){1 2 3 10 20 30}, float(2, 1, 1, 2){1 1 1 -1}) group=";
  expectRows(
      {{"r = MatMul({1, 2}, float(2, 3){1 2 3 4 5 6})\ny = MatMul(r, {1, 0, 1})", Floats{24}, {}},
       {"y = MatMul(fill(1, 2, 3), fill(1, 2, 3))", kStays},
       {"y = Einsum(float(2, 2){1 2 3 4}, float(2, 2){1 2 3 4}) equation='ij,jk'",
        Floats{7, 10, 15, 22}},
       {"y = Einsum(float(2, 2){1 2 3 4}, float(2, 2){1 2 3 4}) equation='...j,jk->...k'",
        Floats{7, 10, 15, 22}},
       {"y = Einsum(fill(1, 2, 2), fill(1, 2, 2)) equation='ij,jk->il'", kStays},
       {"y = Einsum(fill(1, 2, 2), fill(1, 2, 2)) equation='ii,jk->jk'", kStays},
       {"y = Einsum(fill(1, 2, 2), fill(1, 2, 2)) equation='...j,jk->k'", kStays},
       {"y = Conv(" + planes, conv},
       {"y = Conv(" + planes + " strides=[1, 2]", wide},
       {"y = Conv(" + planes + " strides=[1, 2] auto_pad='SAME_UPPER' pads=[1, 1, 1, 1]", wide},
       {"y = Conv(" + deep + "2 pads=[0, 1, 0, 0]", Floats{1, 3, 5, -10, -10, -10}},
       {"y = Conv(" + deep + "2 pads=[0, 1, 0, 0] dilations=[1, 2]", Floats{2, 4, -20, -20}},
       {"y = Conv(" + deep + "3", kStays},
       {"y = " + norm + " epsilon=0.0", Floats{0, 1, -15, 25, 0, 1, -15, 25}},
       // timm standardises the weights of a hybrid's convolutions so.
       {"y, m, v = " + norm + " epsilon=0.0 training_mode=1 momentum=0.5",
        Floats{-1, 1, -5, 15, -1, 1, -5, 15}},
       {"y = BatchNormalization(fill(1, 1, 3, 1), {1, 1}, {1, 1}, {1, 1}, {1, 1})", kStays},
       {"y = Softmax(float(2, 2){1000, 1000, 0, 1.0986123})", Floats{0.5F, 0.5F, 0.25F, 0.75F}},
       {"y = LpNormalization(float(2, 2){3, 4, 0, 0})", Floats{0.6F, 0.8F, 0, 0}}});
}

// Expected numbers are ONNX Runtime's.
TEST(Folding, Resizes) {
  const std::string four = "y = Resize(float(1, 1, 4, 3){0 7 3 10 6 2 9 5 1 8 4 0}, _, ";
  const auto resized = [&](const std::string& to, const std::string& mode, const std::string& place,
                           const std::string& more = "") {
    return four + to + ") mode='" + mode + "' coordinate_transformation_mode='" + place + "' " +
           more;
  };
  expectRows(
      {{resized("{1, 1, 1.5, 2}", "cubic", "half_pixel"),
        Floats{-1.70704532F, 1.07484317F, 5.70640945F, 7.01954794F, 4.27272034F,  2.66493154F,
               4.93554688F,  5.57421875F, 6.67578125F, 5.84570312F, 3.55273438F,  2.171875F,
               11.2644844F,  9.75994015F, 7.33150053F, 4.35820484F, 2.5190928F,   1.3651619F,
               9.84595299F,  8.59504414F, 6.58435583F, 3.8646965F,  1.971874F,    0.791087627F,
               8.828125F,    7.640625F,   5.734375F,   3.078125F,   1.171875F,    -0.015625F,
               8.33507061F,  7.14757061F, 5.24132013F, 2.58506989F, 0.678819835F, -0.508680403F}},
       {resized("_, [1, 1, 2, 5]", "cubic", "align_corners"),
        Floats{0, 3.875F, 7, 5.65625F, 3, 8, 6.375F, 4, 1.625F, 0},
        {1, 1, 2, 5}},
       {resized("_, [1, 1, 3, 4]", "cubic", "pytorch_half_pixel",
                "cubic_coeff_a=-0.5 exclude_outside=1"),
        Floats{0.848508F, 5.03223991F, 5.80747128F, 2.68820047F, 10.4323692F, 7.53022671F,
               3.67814541F, 1.29104483F, 8.3118F, 5.87646484F, 2.32922435F, -0.106110848F}},
       {resized("_, [1, 1, 3, 5]", "linear", "half_pixel"),
        Floats{1.66666687F, 3.73333359F, 6.83333302F, 4.43333292F, 2.83333349F, 9.5F, 7.89999962F,
               5.5F, 3.09999943F, 1.5F, 8.16666698F, 6.5666666F, 4.16666698F, 1.76666617F,
               0.166666746F}},
       {resized("{1, 1, 0.5, 1.7}", "linear", "asymmetric"),
        Floats{0, 4.11764669F, 6.29411793F, 3.94117689F, 3, 9, 6.64705896F, 4.29411793F,
               1.94117689F, 1}},
       {resized("_, [1, 1, 1, 6]", "linear", "pytorch_half_pixel"),
        Floats{0, 1.75F, 5.25F, 6, 4, 3}},
       {resized("_, [1, 1, 2, 4]", "nearest", "half_pixel", "nearest_mode='round_prefer_ceil'"),
        Floats{10, 6, 6, 2, 8, 4, 4, 0}},
       {resized("_, [1, 1, 2, 4]", "nearest", "half_pixel", "nearest_mode='round_prefer_floor'"),
        Floats{0, 7, 7, 3, 9, 5, 5, 1}},
       {resized("_, [1, 1, 3, 5]", "nearest", "align_corners", "nearest_mode='ceil'"),
        Floats{0, 7, 7, 3, 3, 9, 5, 5, 1, 1, 8, 4, 4, 0, 0}},
       {"y = Resize(float(1, 2){3, 4}, _, {2, 1}) mode='nearest'", Floats{3, 4, 3, 4}, {2, 2}},
       {"y = Resize(fill(2.5, 3, 1), _, _, [1, 4]) mode='linear'", Floats(4, 2.5F)},
       {resized("_, [1, 1, 3, 5]", "cubic", "tf_crop_and_resize"), kStays},
       {resized("_, [1, 1, 3, 5]", "lanczos", "half_pixel"), kStays},
       {resized("{1, 1, 0, 2}", "linear", "half_pixel"), kStays},
       {resized("{1, 1, -1, 2}", "linear", "half_pixel"), kStays},
       {resized("{1, 1, 1e9, 2}", "linear", "half_pixel"), kStays},
       {resized("{1, 1, nan, 2}", "linear", "half_pixel"), kStays},
       {resized("{1, 1, inf, 2}", "linear", "half_pixel"), kStays},
       {resized("_, [1, 1, " + kMax + ", 0]", "linear", "half_pixel"), kStays}});
}

TEST(Folding, KeepsOutputsAndOtherDomains) {
  expectRows({{"y = com.example:Add([1], [1])", kStays},
              {"s = Identity([4, 5])\ny = Add(s, [4, 5])", Floats{8, 10}}});
  onnx::Model model(graph(
      "y = Add([1], [1])\nz = Identity(y)\nfour = Add(y, z)\nu = mpm:Use(four)\nout y, z, u"));
  onnx::fold(model);
  EXPECT_TRUE(model.producer("y") != nullptr && model.producer("z") != nullptr);
  EXPECT_FALSE(model.constant("y"));
}

TEST(Folding, WhatTwoNodesMakeOfTheSameConstantsIsMadeOnce) {
  std::string text = "image[1, 3]\n", given;
  for (const std::string name : {"a", "b", "c"}) {
    text += name + "_reach = Mul([" + (name == "c" ? "5" : "3") + "], [2])\n" + name +
            "_table = ConstantOfShape(" + name + "_reach)\n" + name + " = mpm:Use(image, " + name +
            "_table)\n";
  }
  onnx::Model model(graph(text + "out a, b, c"));
  EXPECT_EQ(onnx::shareConstants(model), 2);
  EXPECT_EQ(model.producer("b")->input(1), "a_table");
  EXPECT_EQ(model.producer("c")->input(1), "c_table");
  // What is drawn, given, or of a frame is not shared.
  onnx::Model other(graph(
      "image[1, 3]\na = RandomNormalLike(fill(0, 2, 3))\nb = RandomNormalLike(fill(0, 2, 3))\n"
      "c = Relu(image)\nd = Relu(image)\ne = ConstantOfShape([2, 3])\nf = ConstantOfShape([2, 3])\n"
      "g = mpm:Use(a, b, c, d)\nout e, f, g"));
  EXPECT_EQ(onnx::shareConstants(other), 0);
}

// The branch that is taken stands in the place of an If; shapes that are computed are constants.
TEST(Folding, ReshapesToComputedSizes) {
  const auto settled = [](const std::string& input, const std::string& nodes) {
    onnx::Model model(graph(input + "\ns = Shape(a)\n" + nodes));
    onnx::fold(model);
    onnx::settleReshapes(model, onnx::Values(model));
    const auto target = model.constant(model.producer("y")->input(1));
    return target ? target->integers() : Integers{-999};
  };
  const std::string open = "a[-1, 3, 8]", target = "t = Concat(g, ",
                    reshape = "]) axis=0\ny = Reshape(a, t)";
  EXPECT_EQ(settled(open, "g = Gather(s, [0, 1])\n" + target + "[2, 4" + reshape),
            (Integers{-1, 3, 2, 4}));
  EXPECT_EQ(settled(open, "g = Gather(s, [0])\n" + target + "[-1" + reshape), (Integers{-1, 24}));
  EXPECT_EQ(settled("a[3, -1, 8]", "g = Gather(s, [1])\n" + target + "[24" + reshape),
            (Integers{-1, 24}));
  EXPECT_EQ(settled("a[-1, height, 8]", "g = Gather(s, [0, 1])\n" + target + "[2, 4" + reshape),
            (Integers{0, 0, 2, 4}));
  EXPECT_EQ(settled("a[-1, height, 8]", "g = Gather(s, [1, 0])\n" + target + "[2, 4" + reshape),
            Integers{-999});
  EXPECT_EQ(settled("a[-1, 0]", "g = Gather(s, [0])\n" + target + "[0" + reshape), Integers{-999});
  const std::string expand = "g = Gather(s, [0])\nt = Concat(g, [6]) axis=0\ny = Expand(";
  EXPECT_EQ(settled("a[-1, 1]", expand + "a, t)"), (Integers{1, 6}));
  EXPECT_EQ(settled("a[-1, 6]", expand + "fill(0, 1, 6), t)"), Integers{-999});
}

// Where no scale gives a size, the sizes stay.
TEST(Folding, ResizesToComputedSizes) {
  for (std::int64_t width = 1; width < 200; ++width) {
    onnx::Model model(
        graph("a[-1, 3, 4, 5]\ns = Shape(a)\ng = Gather(s, [0, 1])\nt = Concat(g, [8, " +
              std::to_string(width) + "]) axis=0\ny = Resize(a, _, _, t)"));
    onnx::fold(model);
    onnx::settleReshapes(model, onnx::Values(model));
    const onnx::Node& node = *model.producer("y");
    if (node.input_size() == 4) continue;
    const float scale = model.constant(node.input(2))->floats()[3];
    EXPECT_EQ(static_cast<std::int64_t>(scale * 5), width);
    EXPECT_EQ(static_cast<std::int64_t>(static_cast<double>(scale) * 5), width);
  }
}

}  // namespace
}  // namespace mpm::test
