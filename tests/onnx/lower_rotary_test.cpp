// SPDX-License-Identifier: Apache-2.0
// Rotary positions in one node, as the nodes that exporters write: run, and compared with what ONNX
// says in loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/lower_case.h"
#include "onnx/operators/interpreter.h"

namespace mpm::test {
namespace {

constexpr std::size_t kImages = 2, kHeads = 3, kRows = 5, kFeatures = 6, kPlaces = 9;

// Where an element of x stands, by head or in rows.
std::size_t at(bool inRows, std::size_t b, std::size_t h, std::size_t n, std::size_t i) {
  return inRows ? ((b * kRows + n) * kHeads + h) * kFeatures + i
                : ((b * kHeads + h) * kRows + n) * kFeatures + i;
}

float angle(std::size_t place, std::size_t i) {
  return 0.3F * static_cast<float>(place) + 0.7F * static_cast<float>(i * i);
}

float element(std::size_t i) { return std::sin(static_cast<float>(i) * 1.7F); }

struct RotaryCase {
  const char* name;
  bool inRows = false, areNeighbours = false;
  std::size_t turned = kFeatures;
  bool hasPlaces = false, isRuntimes = false;
};

std::size_t placeOf(const RotaryCase& each, std::size_t b, std::size_t n) {
  return each.hasPlaces ? (3 * b + 2 * n) % kPlaces : n + (each.isRuntimes ? 2 : 0);
}

std::vector<float> expectedRows(const RotaryCase& each) {
  const std::size_t half = each.turned / 2;
  std::vector<float> all(kImages * kHeads * kRows * kFeatures);
  for (std::size_t b = 0; b < kImages; ++b) {
    for (std::size_t h = 0; h < kHeads; ++h) {
      for (std::size_t n = 0; n < kRows; ++n) {
        const auto x = [&](std::size_t i) { return element(at(each.inRows, b, h, n, i)); };
        for (std::size_t i = 0; i < kFeatures; ++i) all[at(each.inRows, b, h, n, i)] = x(i);
        for (std::size_t i = 0; i < half; ++i) {
          const std::size_t one = each.areNeighbours ? 2 * i : i;
          const std::size_t two = each.areNeighbours ? 2 * i + 1 : i + half;
          const float a = angle(placeOf(each, b, n), i);
          all[at(each.inRows, b, h, n, one)] = std::cos(a) * x(one) - std::sin(a) * x(two);
          all[at(each.inRows, b, h, n, two)] = std::sin(a) * x(one) + std::cos(a) * x(two);
        }
      }
    }
  }
  return all;
}

std::int64_t size(std::size_t value) { return static_cast<std::int64_t>(value); }

void addTables(ModelProto& proto, const RotaryCase& each) {
  const std::size_t half = each.turned / 2;
  const bool ofPlaces = each.hasPlaces || each.isRuntimes;
  const std::size_t rows = ofPlaces ? kPlaces : kRows;
  std::vector<float> cosines, sines;
  for (std::size_t i = 0; i < (ofPlaces ? 1 : kImages) * rows * half; ++i) {
    const float a = angle(i / half % rows, i % half);
    cosines.push_back(std::cos(a));
    sines.push_back(std::sin(a));
  }
  const Integers dims = ofPlaces ? Integers{size(kPlaces), size(half)}
                                 : Integers{size(kImages), size(kRows), size(half)};
  addConstant(proto, "cosines", dims, cosines);
  addConstant(proto, "sines", dims, sines);
  Integers places;
  for (std::size_t b = 0; b < kImages; ++b) {
    for (std::size_t n = 0; n < kRows; ++n) places.push_back(size(placeOf(each, b, n)));
  }
  *proto.mutable_graph()->add_initializer() =
      each.hasPlaces ? onnx::integerTensor("places", {size(kImages), size(kRows)}, places)
                     : onnx::integerTensor("places", {1}, {2});
}

ModelProto modelOf(const RotaryCase& each) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(23);
  const std::int64_t b = size(kImages), h = size(kHeads), n = size(kRows), d = size(kFeatures);
  addInput(proto, "x", each.inRows ? Integers{b, n, h * d} : Integers{b, h, n, d});
  addOutput(proto, "y");
  addTables(proto, each);
  Strings inputs = {"x", "cosines", "sines"};
  if (each.hasPlaces) inputs.push_back("places");
  if (each.isRuntimes) inputs = {"x", "places", "cosines", "sines"};
  auto& node = addNode(proto, "RotaryEmbedding", inputs, {"y"});
  if (each.isRuntimes) node.set_domain("com.microsoft");
  setAttribute(node, "interleaved", std::int64_t{each.areNeighbours});
  if (each.inRows) setAttribute(node, "num_heads", h);
  if (each.turned < kFeatures) setAttribute(node, "rotary_embedding_dim", size(each.turned));
  return proto;
}

std::vector<float> computed(const RotaryCase& each) {
  Model model = lowered(modelOf(each));
  for (const auto* node : model.nodes()) EXPECT_NE(node->op_type(), "RotaryEmbedding");
  onnx::Known x;
  x.type = ::onnx::TensorProto::FLOAT;
  const onnx::Value input = model.inputs()[0];
  for (const onnx::Dim& dim : input.dims) x.dims.push_back(dim.size);
  std::vector<float> elements;
  for (std::size_t i = 0; i < kImages * kHeads * kRows * kFeatures; ++i)
    elements.push_back(element(i));
  x.floats = elements;
  onnx::Interpreter interpreter(std::move(model));
  interpreter.fit({x.dims});
  return interpreter.run({std::move(x)})[0].floats.copy();
}

class OnnxLowerRotary : public testing::TestWithParam<RotaryCase> {};

TEST_P(OnnxLowerRotary, TurnsPairsAsOnnxSays) {
  const std::vector<float> is = computed(GetParam()), right = expectedRows(GetParam());
  ASSERT_EQ(is.size(), right.size());
  for (std::size_t i = 0; i < is.size(); ++i) ASSERT_NEAR(is[i], right[i], 1e-5) << i;
}

INSTANTIATE_TEST_SUITE_P(Spellings, OnnxLowerRotary,
                         testing::Values(RotaryCase{"by_head"}, RotaryCase{"in_rows", true},
                                         RotaryCase{"neighbours", false, true},
                                         RotaryCase{"neighbours_in_rows", true, true},
                                         RotaryCase{"a_part", false, false, 4},
                                         RotaryCase{"neighbours_of_a_part", true, true, 4},
                                         RotaryCase{"places", true, false, kFeatures, true},
                                         RotaryCase{"runtimes", true, false, kFeatures, true, true},
                                         RotaryCase{"runtimes_from_one_place", false, true,
                                                    kFeatures, false, true}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(OnnxLowerRotaryRefusal, StaysWhereItsTablesDoNotFit) {
  auto proto = modelOf(RotaryCase{"in_rows", true});
  auto& node = *proto.mutable_graph()->mutable_node(0);
  setAttribute(node, "num_heads", std::int64_t{2});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"RotaryEmbedding"}) << "of nine features";
  setAttribute(node, "num_heads", std::int64_t{0});
  EXPECT_GT(typesOf(lowered(proto)).size(), 1U) << "heads are as wide as the tables say";
}

}  // namespace
}  // namespace mpm::test
