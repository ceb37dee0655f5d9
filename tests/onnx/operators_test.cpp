// SPDX-License-Identifier: Apache-2.0
// Operators on constants against ONNX Runtime; make_operators.py wrote the fixture.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "in_project.h"
#include "onnx/graph/file.h"
#include "onnx/operators/interpreter.h"
#include "onnx/operators/table.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

using onnx::Known;

void expectSame(const Known& found, const Known& expected) {
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

TEST(OnnxOperators, GiveWhatOnnxRuntimeGives) {
  const onnx::Model model = onnx::readModel(inProject("tests/onnx/fixtures/operators.onnx"));
  ASSERT_GT(model.nodes().size(), 130U);
  for (const onnx::Node* node : model.nodes()) {
    SCOPED_TRACE(node->name());
    ASSERT_TRUE(onnx::isInterpreted(*node));
    std::vector<std::optional<Known>> inputs;
    for (const auto& input : node->input()) {
      const auto constant = model.constant(input);
      inputs.push_back(constant ? onnx::toKnown(*constant) : std::nullopt);
    }
    onnx::Call call{*node, {}, model.opset()};
    for (const auto& input : inputs) call.inputs.push_back(input ? &*input : nullptr);
    const onnx::Results results = onnx::findFolder(*node)(call);
    ASSERT_EQ(results.size(), static_cast<std::size_t>(node->output_size()));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto expected = model.constant("expected/" + node->output(static_cast<int>(i)));
      ASSERT_TRUE(expected);
      ASSERT_TRUE(results[i]);
      expectSame(*results[i], *onnx::toKnown(*expected));
    }
  }
}

}  // namespace
}  // namespace mpm::test
