// SPDX-License-Identifier: Apache-2.0
// What make_operators.py cannot ask ONNX Runtime about recurrent layers.
#include <gtest/gtest.h>

#include <algorithm>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"
#include "onnx/fold_places.h"

namespace mpm::test {
namespace {

using onnx::Integers;
using onnx::Known;
using onnx::Node;
using onnx::Results;
using onnx::setAttribute;

// Numbers between -1 and 1, none like another.
Known knownNumbers(const Integers& dims, std::int64_t seed) {
  Known known = *onnx::emptyKnown(::onnx::TensorProto::FLOAT, dims);
  known.sure.assign(known.count(), 1);
  for (std::size_t i = 0; i < known.count(); ++i)
    known.floats[i] =
        static_cast<float>((static_cast<std::int64_t>(i) * 37 + seed * 11) % 101) / 50 - 1;
  return known;
}

// A layer of both directions over 3 steps of 2 sequences of 4 numbers, with 5 hidden ones.
struct Layer {
  Node node;
  std::vector<Known> inputs = {knownNumbers({3, 2, 4}, 1),  knownNumbers({2, 20, 4}, 2),
                               knownNumbers({2, 20, 5}, 3), knownNumbers({2, 40}, 4),
                               knownNumbers({2}, 5),        knownNumbers({2, 2, 5}, 6),
                               knownNumbers({2, 2, 5}, 7)};

  Layer() {
    node.set_op_type("LSTM");
    for (const char* name : {"x", "w", "r", "b", "", "h", "c"}) node.add_input(name);
    for (const char* name : {"y", "last", "cell"}) node.add_output(name);
    setAttribute(node, "direction", "bidirectional");
  }

  Results compute() const {
    onnx::Call call{node, {}};
    for (std::size_t i = 0; i < inputs.size(); ++i)
      call.inputs.push_back(call.has(i) ? &inputs[i] : nullptr);
    return onnx::compute(call);
  }

  bool isComputed() const { return compute()[0].has_value(); }
};

Known swapped(const Known& value, const std::vector<std::size_t>& order) {
  return onnx::transposed(value, value.dims, order);
}

TEST(OnnxRecurrent, WithSequencesFirstIsTheSameTurned) {
  Layer steps, sequences;
  setAttribute(sequences.node, "layout", std::int64_t{1});
  for (const std::size_t i : {0, 5, 6}) sequences.inputs[i] = swapped(steps.inputs[i], {1, 0, 2});
  const Results wanted = steps.compute(), found = sequences.compute();
  const std::vector<std::size_t> orders[] = {{2, 0, 1, 3}, {1, 0, 2}, {1, 0, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(wanted[i] && found[i]);
    const Known turned = swapped(*wanted[i], orders[i]);
    EXPECT_EQ(found[i]->dims, turned.dims);
    EXPECT_EQ(found[i]->floats, turned.floats);
  }
  EXPECT_EQ(found[0]->dims, (Integers{2, 3, 2, 5}));
}

TEST(OnnxRecurrent, IsNotComputedWithWhatDoesNotFit) {
  EXPECT_TRUE(Layer().isComputed());
  Layer lengths;
  lengths.node.set_input(4, "lengths");
  EXPECT_FALSE(lengths.isComputed());
  for (const std::size_t i : {0, 1, 2, 3, 5, 6}) {
    Layer layer;
    layer.inputs[i] = knownNumbers({2, 3, 3}, 1);
    EXPECT_FALSE(layer.isComputed()) << i;
  }
  for (const char* way : {"forward", "sideways"}) {
    Layer layer;
    setAttribute(layer.node, "direction", way);
    EXPECT_FALSE(layer.isComputed()) << way;
  }
  Layer size;
  setAttribute(size.node, "hidden_size", std::int64_t{6});
  EXPECT_FALSE(size.isComputed());
}

TEST(OnnxRecurrent, KnowsItsActivations) {
  const auto isComputed = [](const std::vector<std::string>& names) {
    Layer layer;
    auto& attribute = *layer.node.add_attribute();
    attribute.set_name("activations");
    attribute.set_type(::onnx::AttributeProto::STRINGS);
    for (const std::string& name : names) attribute.add_strings(name);
    return layer.isComputed();
  };
  EXPECT_TRUE(isComputed({"Sigmoid", "Tanh", "Relu", "Sigmoid", "Elu", "Tanh"}));
  EXPECT_FALSE(isComputed({"Sigmoid", "Tanh", "Tanh"}));
  EXPECT_FALSE(isComputed({"Sigmoid", "Tanh", "Relu", "Sigmoid", "Elu", "Unheard"}));
}

}  // namespace
}  // namespace mpm::test
