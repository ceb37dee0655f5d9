// SPDX-License-Identifier: Apache-2.0
// Dims of operators that move elements.
#include "onnx/shape_case.h"

#include <limits>

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

Integers reshaped(const Integers& from, const Integers& target) {
  return Case("Reshape", {from}, {"target"}).constant("target", target).dims();
}

TEST(OnnxShape, Reshape) {
  EXPECT_EQ(reshaped({kOpen, 3, 4}, {0, -1}), (Integers{kOpen, 12}));
  EXPECT_EQ(reshaped({kOpen, 3, 4}, {-1, 4}), (Integers{kOpen, 4}));
  EXPECT_EQ(reshaped({2, 3, 4}, {-1, 4}), (Integers{6, 4}));
  EXPECT_EQ(reshaped({2, 3, 4}, {5, -1}), (Integers{5, kOpen}));
  EXPECT_EQ(reshaped({2}, {1, 0}), kNothing);
  EXPECT_EQ(reshaped({2}, {-2}), kNothing);
  EXPECT_EQ(reshaped({kMax, kMax}, {-1}), Integers{kOpen});
  EXPECT_EQ(Case("Reshape", {{0, 3}}, {"t"}).constant("t", {3, 0}).with("allowzero", 1).dims(),
            (Integers{3, 0}));
}

TEST(OnnxShape, ReshapeToAComputedTarget) {  // image.flatten(2) as PyTorch writes it
  auto proto = opsetModel(17, {{kOpen, 3, 4, 5}});
  addIntegers(proto, "zero", {0});
  addIntegers(proto, "two", {2});
  addIntegers(proto, "rest", {-1});
  addNode(proto, "Shape", {"a"}, {"shape"});
  addNode(proto, "Slice", {"shape", "zero", "two"}, {"outer"});
  onnx::setAttribute(addNode(proto, "Concat", {"outer", "rest"}, {"target"}), "axis",
                     std::int64_t{0});
  addNode(proto, "Reshape", {"a", "target"}, {"y"});
  EXPECT_EQ(dimsIn(proto, "y"), (Integers{kOpen, 3, 20}));
  EXPECT_EQ(dimsIn(proto, "y", {{"a", {2, 3, 4, 7}}}), (Integers{2, 3, 28}));
}

TEST(OnnxShape, ReshapeToAnUnknownTarget) {
  EXPECT_EQ(Case("Reshape", {{6}, {2}}).dims(), (Integers{kOpen, kOpen}));
  EXPECT_EQ(Case("Reshape", {{6}, {1}}).dims(), Integers{6});
  EXPECT_EQ(Case("Reshape", {{6}, {kOpen}}).dims(), kNothing);
}

TEST(OnnxShape, Arranging) {
  EXPECT_EQ(Case("Transpose", {{kOpen, 3, 4}}).with("perm", Integers{1, 2, 0}).dims(),
            (Integers{3, 4, kOpen}));
  EXPECT_EQ(Case("Transpose", {{2, 3}}).with("perm", Integers{0, 0}).dims(), kNothing);
  EXPECT_EQ(Case("Flatten", {{kOpen, 3, 4}}).dims(), (Integers{kOpen, 12}));
  EXPECT_EQ(Case("Squeeze", {{1, 3, 1}}).dims(), Integers{3});
  EXPECT_EQ(Case("Squeeze", {{1, kOpen}}, {}, 11).with("axes", Integers{0}).dims(),
            Integers{kOpen});
  EXPECT_EQ(Case("Squeeze", {{1, kOpen}}).dims(), kNothing) << "the open one may be 1";
  EXPECT_EQ(Case("Unsqueeze", {{3}}, {"axes"}).constant("axes", {0, -1}).dims(),
            (Integers{1, 3, 1}));
  EXPECT_EQ(Case("Concat", {{kOpen, 3}, {kOpen, 4}}).with("axis", 1).dims(), (Integers{kOpen, 7}));
  EXPECT_EQ(Case("Concat", {{2, 3}, {3, 4}}).with("axis", 1).dims(), kNothing);
  EXPECT_EQ(Case("Concat", {{kMax}, {kMax}}).with("axis", 0).dims(), Integers{kOpen});
  EXPECT_EQ(Case("Expand", {{kOpen, 1}}, {"s"}).constant("s", {2, 1, 6}).dims(),
            (Integers{2, kOpen, 6}));
  EXPECT_EQ(Case("Tile", {{kOpen, 2}}, {"s"}).constant("s", {1, 3}).dims(), (Integers{kOpen, 6}));
  EXPECT_EQ(Case("Tile", {{4, 2}}, {"s"}).constant("s", {kMax, kMin}).dims(),
            (Integers{kOpen, kOpen}));
}

Integers sliced(const Integers& from, const Integers& starts, const Integers& ends,
                const Integers& axes, const Integers& steps) {
  return Case("Slice", {from}, {"starts", "ends", "axes", "steps"})
      .constant("starts", starts)
      .constant("ends", ends)
      .constant("axes", axes)
      .constant("steps", steps)
      .dims();
}

TEST(OnnxShape, Slice) {
  EXPECT_EQ(sliced({kOpen, 5}, {1}, {kMax}, {1}, {2}), (Integers{kOpen, 2}));
  EXPECT_EQ(sliced({5}, {-1}, {kMin}, {0}, {-2}), Integers{3});
  EXPECT_EQ(sliced({5}, {9}, {2}, {0}, {1}), Integers{0});
  EXPECT_EQ(sliced({5}, {kMin}, {kMax}, {0}, {kMin}), Integers{0});
  EXPECT_EQ(sliced({kOpen}, {0}, {kMax}, {0}, {1}), Integers{kOpen});
  EXPECT_EQ(sliced({5}, {0}, {1}, {7}, {1}), kNothing);
  EXPECT_EQ(Case("Slice", {{5, 6}}, {}, 9)
                .with("starts", Integers{1})
                .with("ends", Integers{3})
                .with("axes", Integers{-1})
                .dims(),
            (Integers{5, 2}));
}

TEST(OnnxShape, SplitOfAllOpsets) {
  const Integers whole = {kOpen, 9};
  const auto attribute =
      Case("Split", {whole}, {}, 11).with("axis", 1).with("split", Integers{1, 2, 3, 3});
  EXPECT_EQ(attribute.dims("y3"), (Integers{kOpen, 3}));
  const auto input =
      Case("Split", {whole}, {"sizes"}).with("axis", 1).constant("sizes", {1, 2, 3, 3});
  EXPECT_EQ(input.dims("y2"), (Integers{kOpen, 2}));
  const auto uneven = Case("Split", {whole}, {}, 18).with("axis", 1).with("num_outputs", 4);
  EXPECT_EQ(uneven.dims("y3"), (Integers{kOpen, 3}));
  EXPECT_EQ(uneven.dims("y4"), (Integers{kOpen, 0}));
  EXPECT_EQ(Case("Split", {whole}).dims("y4"), (Integers{kOpen, 9}));
}

TEST(OnnxShape, Choosing) {
  EXPECT_EQ(Case("Gather", {{kOpen, 4, 3}, {2, 2}}).with("axis", 1).dims(),
            (Integers{kOpen, 2, 2, 3}));
  EXPECT_EQ(Case("GatherElements", {{5, 4}, {2, 4}}).dims(), (Integers{2, 4}));
  EXPECT_EQ(Case("GatherND", {{2, 3, 4, 5}, {2, 6, 2}}).with("batch_dims", 1).dims(),
            (Integers{2, 6, 5}));
  EXPECT_EQ(Case("GatherND", {{2, 3}, {2, kMax}}).dims(), kNothing);
  EXPECT_EQ(Case("TopK", {{kOpen, 4}}, {"k"}).constant("k", {3}).dims("y2"), (Integers{kOpen, 3}));
}

TEST(OnnxShape, PadAndResize) {
  const auto pads = Integers{0, 1, 0, -2};
  EXPECT_EQ(Case("Pad", {{kOpen, 5}}, {"p"}).constant("p", pads).dims(), (Integers{kOpen, 4}));
  EXPECT_EQ(Case("Pad", {{kOpen, 5}}, {}, 9).with("pads", pads).dims(), (Integers{kOpen, 4}));
  EXPECT_EQ(Case("Pad", {{5, 5}}, {"p"}).constant("p", {kMax, kMin, 1, kMin}).dims(),
            (Integers{kOpen, kOpen}));
  EXPECT_EQ(Case("Resize", {{1, 3, 5, 7}}, {"", "", "z"}).constant("z", {1, 3, 10, 9}).dims(),
            (Integers{1, 3, 10, 9}));
  auto scaled = Case("Resize", {{kOpen, 3, 5, 7}}, {"", "s"});
  addConstant(scaled.proto, "s", {4}, {1, 1, 2, 1.5f});
  EXPECT_EQ(scaled.dims(), (Integers{kOpen, 3, 10, 10}));
  auto old = Case("Upsample", {{kOpen, 3, 5, 7}}, {"s"}, 9);
  addConstant(old.proto, "s", {4}, {1, 1, 2, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(old.dims(), (Integers{kOpen, 3, 10, kOpen}));
}

TEST(OnnxShape, Making) {
  EXPECT_EQ(Case("Shape", {{kOpen, 3, 4}}).with("start", 1).dims(), Integers{2});
  EXPECT_EQ(Case("Size", {{kOpen, 3}}).dims(), Integers{});
  EXPECT_EQ(Case("ConstantOfShape", {}, {"s"}).constant("s", {2, 3}).dims(), (Integers{2, 3}));
  EXPECT_EQ(Case("ConstantOfShape", {{2}}).dims(), (Integers{kOpen, kOpen}));
  EXPECT_EQ(Case("Range", {{}, {}, {}}).dims(), Integers{kOpen});
  EXPECT_EQ(Case("NonZero", {{4, 5}}).dims(), (Integers{2, kOpen}));
}

// Also where the file does not say so, as TorchScript's do not.
TEST(OnnxShape, PlacesAreWholeNumbers) {
  for (Case each : {Case("NonZero", {{4, 5}}), Case("ArgMax", {{4, 5}}),
                    Case("NonMaxSuppression", {{1, 9, 4}, {1, 2, 9}})}) {
    const Model model(std::move(each.proto));
    EXPECT_EQ(onnx::Values(model, {}).type("y"), ::onnx::TensorProto::INT64)
        << model.nodes()[0]->op_type();
  }
}

}  // namespace
}  // namespace mpm::test
