// SPDX-License-Identifier: Apache-2.0
#include "vit/linear.h"

#include <gtest/gtest.h>

#include "tolerances.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

void expectAgreement(std::size_t rows, std::size_t in, std::size_t out, std::uint32_t seed) {
  SCOPED_TRACE(testing::Message() << rows << " rows, " << in << " to " << out << ", seed " << seed);
  test::RandomNetwork network(seed);
  LinearWeights weights = network.linear(in, out);
  PoisonedRows x(test::normalRows(rows, in, seed + 100));
  for (const float* bias : {weights.bias, static_cast<const float*>(nullptr)}) {
    weights.bias = bias;
    OwnedRows expected(rows, out);
    PoisonedRows actual(rows, out);
    linearReference(x.view(), weights, expected.view());
    linearCpu(x.view(), weights, actual.view());
    test::expectNear(actual.view(), expected.view(), test::kVitOperation);
    actual.expectPoisonUntouched();
  }
}

TEST(Linear, AgreesWithTheReference) {
  for (const test::VitShape& shape : test::vitShapes()) {
    if (shape.heads == 1) expectAgreement(shape.rows, shape.dim, shape.dim, 31);
  }
}

// 384 features are a tile.
TEST(Linear, AgreesOnOddAndWideShapes) {
  for (const std::size_t rows : {1, 127, 128, 129}) {
    for (const std::size_t out : {1, 383, 384, 385, 769}) expectAgreement(rows, 17, out, 32);
  }
  expectAgreement(5, 3072, 24, 33);
  expectAgreement(101, 2500, 40, 37);
  expectAgreement(5, 1, 24, 34);
}

TEST(Linear, ReadsWeightsWithGaps) {
  PoisonedRows weight(test::normalRows(24, 16, 35)), x(test::normalRows(3, 16, 36));
  OwnedRows expected(3, 24), actual(3, 24);
  linearReference(x.view(), {weight.view(), nullptr}, expected.view());
  linearCpu(x.view(), {weight.view(), nullptr}, actual.view());
  test::expectNear(actual.view(), expected.view(), test::kVitOperation);
}

TEST(Linear, GivesTheGeluOfTheResult) {
  const std::uint32_t seed = 35;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  test::RandomNetwork network(seed);
  const LinearWeights weights = network.linear(33, 50);
  const OwnedRows in = test::normalRows(70, 33, seed + 1);
  for (const Gelu kind : {Gelu::erf, Gelu::tanh, Gelu::quick}) {
    OwnedRows expected(70, 50), actual(70, 50);
    linearReference(in.view(), weights, expected.view());
    geluReference(kind, expected.view());
    linearCpu(in.view(), PackedLinear(weights, Precision::fp32), actual.view(), &kind);
    test::expectNear(actual.view(), expected.view(), test::kVitOperation);
  }
}

TEST(Linear, NoRowsAreNoWork) {
  OwnedRows weight(24, 16);
  linearCpu({nullptr, 0, 16}, {weight.view(), nullptr}, {nullptr, 0, 24});
}

}  // namespace
}  // namespace mpm::vit
