// SPDX-License-Identifier: Apache-2.0
// What keeps a model as a whole from being recognised, and what is known of one that is not.
#include "onnx/recognise.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/error.h"
#include "onnx/facts_case.h"

namespace mpm::test {
namespace {

TEST(Recognise, AReshapeToAnotherNumberOfElementsIsRefusedWhereTheBatchIsClosed) {
  const auto sentenceOf = [](std::int64_t batch) -> std::string {
    auto proto = emptyModel();
    addInput(proto, "image", {batch, 3, 4, 4});
    addReshape(proto, "image", {1, 3, 17}, "y");
    addOutput(proto, "y");
    Model model(std::move(proto));
    try {
      return onnx::recognise(model, {}).encoder.obstacle;
    } catch (const onnx::ModelError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(sentenceOf(1).find("a reshape changes the number of elements: node '"), 0U);
  EXPECT_EQ(sentenceOf(-1), "it has no transformer block");
}

TEST(Recognise, WhatWasMadeForOneProcessorIsRefusedAsThat) {
  auto proto = emptyModel();
  addInput(proto, "image", {1, 3, 8, 8});
  auto& conv = addNode(proto, "Conv", {"image", "kernel"}, {"y"});
  conv.set_domain("com.microsoft.nchwc");
  addConstant(proto, "kernel", {8, 3, 1, 1}, std::vector<float>(24, 1));
  addOutput(proto, "y");
  Model model(std::move(proto));
  try {
    onnx::recognise(model, {});
    ADD_FAILURE() << "it was taken";
  } catch (const onnx::ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("for one kind of processor"), std::string::npos);
  }
}

TEST(Recognise, OfAModelThatStaysOpenSizesAreKnownAsFarAsTheyCanBe) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 3, -1, -1});
  addConstant(proto, "kernel", {5, 3, 1, 1}, std::vector<float>(15, 1));
  addNode(proto, "Conv", {"image", "kernel"}, {"y"});
  addOutput(proto, "y");
  Model model(std::move(proto));
  const onnx::Recognised recognised = onnx::recognise(model, {});
  EXPECT_NE(recognised.encoder.obstacle, "");
  ASSERT_NE(recognised.values, nullptr);
  const Integers* dims = recognised.values->dims("y");
  ASSERT_NE(dims, nullptr);
  EXPECT_EQ((*dims)[1], 5);
}

}  // namespace
}  // namespace mpm::test
