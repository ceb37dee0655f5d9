// SPDX-License-Identifier: Apache-2.0
// A model read for another size of its input.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "model_edit.h"
#include "mpm/net.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

std::string textOf(const cv::Size& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

/// The fixture's images, scaled to another size.
cv::Mat imagesOf(const Fixture& fixture, const cv::Size& size) {
  const cv::Mat own = fixture.images();
  cv::Mat scaled(std::vector<int>{own.size[0], own.size[1], size.height, size.width}, CV_32F);
  for (int b = 0; b < own.size[0]; ++b) {
    for (int c = 0; c < own.size[1]; ++c) {
      const cv::Mat from(own.size[2], own.size[3], CV_32F,
                         const_cast<float*>(own.ptr<float>(b, c)));
      cv::Mat to(size, CV_32F, scaled.ptr<float>(b, c));
      cv::resize(from, to, size);
    }
  }
  return scaled;
}

/// The shape that an output has for images of this size.
std::vector<int> shapeAt(const Fixture& fixture, const cv::Mat& stored, const cv::Size& size) {
  std::vector<int> shape(stored.size.p, stored.size.p + stored.dims);
  const int own = fixture.special + fixture.grid.area();
  if (shape.size() == 3) {
    std::replace(shape.begin() + 1, shape.end(), own,
                 fixture.special + size.area() / (fixture.patch * fixture.patch));
  } else if (shape.size() == 4) {
    shape[2] = shape[2] * size.height / fixture.imageSize().height;
    shape[3] = shape[3] * size.width / fixture.imageSize().width;
  }
  return shape;
}

std::vector<int> shapeOf(const cv::Mat& blob) { return {blob.size.p, blob.size.p + blob.dims}; }

void expectRunsAt(const Fixture& fixture, const cv::Size& size, cv::dnn::Net& net) {
  const cv::Mat images = imagesOf(fixture, size);
  const Outputs outputs = run(net, images);
  for (const std::string& name : fixture.outputs) {
    EXPECT_EQ(shapeOf(outputs.at(name)), shapeAt(fixture, fixture.stored(name), size)) << name;
    EXPECT_TRUE(cv::checkRange(outputs.at(name).reshape(1, 1))) << name;
  }
  const int tokens = size.area() / (fixture.patch * fixture.patch);
  EXPECT_EQ(shapeOf(outputs.at("mpm_map")), (std::vector<int>{images.size[0], tokens}));
}

class InputSize : public FixtureTest {
 protected:
  /// Reads the fixture at `size`; the exception's sentence where that is refused.
  std::pair<cv::dnn::Net, std::string> read(const cv::Size& size,
                                            const std::vector<int>& blocks = {}) {
    ReadOptions options;
    options.schedule = blocks;
    options.inputSize = size;
    try {
      return {readNet(GetParam().path(), options), ""};
    } catch (const std::exception& error) {
      return {cv::dnn::Net(), error.what()};
    }
  }
};

TEST_P(InputSize, TheModelsOwnChangesNothing) {
  if (GetParam().hasOpenSize) return;
  auto [net, refusal] = read(GetParam().imageSize(), {0});
  ASSERT_EQ(refusal, "");
  expectSame(run(net, GetParam().images()), outputsOf(GetParam(), {0}));
}

// Larger, smaller, and turned. What convolutions behind an encoder were traced for may not allow
// it; then one sentence says so.
TEST_P(InputSize, AnotherGivesOutputsOfItsShape) {
  const cv::Size own = GetParam().imageSize();
  for (const cv::Size& size : {cv::Size(80, 64), cv::Size(own.height, own.width), cv::Size(96, 96),
                               cv::Size(32, 40), cv::Size(own.width, 32)}) {
    SCOPED_TRACE(textOf(size));
    auto [net, refusal] = read(size, {0});
    if (GetParam().keepsSize && size != own && !(GetParam().adapts && refusal.empty())) {
      expectSentence(refusal);
      EXPECT_NE(refusal.find("another input size"), std::string::npos) << refusal;
      continue;
    }
    if (GetParam().family != "mmseg") {
      ASSERT_EQ(refusal, "");
    } else if (!refusal.empty()) {
      expectSentence(refusal);
      EXPECT_NE(refusal.find("another input size is not possible"), std::string::npos) << refusal;
      continue;
    }
    expectRunsAt(GetParam(), size, net);
  }
}

// Rotary positions and biases are what the model's own code has for that size.
TEST_P(InputSize, AnotherIsWhatTheSameWeightsGiveThere) {
  if (GetParam().otherInput.empty()) return;
  const cv::Mat images = GetParam().otherImages();
  auto [net, refusal] = read({images.size[3], images.size[2]});
  ASSERT_EQ(refusal, "");
  const Outputs outputs = run(net, images);
  for (const std::string& name : GetParam().outputs)
    EXPECT_LE(relativeError(outputs.at(name), GetParam().storedOfOther(name)), kModelOutput)
        << name;
}

TEST_P(InputSize, NoMultipleOfThePatchIsRefused) {
  for (const cv::Size& size : {cv::Size(68, 64), cv::Size(64, 47), cv::Size(5, 5)}) {
    const std::string refusal = read(size).second;
    expectSentence(refusal);
    if (GetParam().keepsSize &&
        refusal.find("another input size is not possible: its picture") != std::string::npos)
      continue;
    EXPECT_NE(refusal.find("input size " + textOf(size)), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("multiples of the patch, " + std::to_string(GetParam().patch)),
              std::string::npos)
        << refusal;
  }
}

TEST_P(InputSize, HalfASizeAndOneThatNoMemoryHoldsAreRefused) {
  for (const cv::Size& size : {cv::Size(64, 0), cv::Size(-64, 64)})
    EXPECT_EQ(read(size).second,
              "input size " + textOf(size) + ": expected a width and a height in pixels");
  EXPECT_EQ(read({1000000, 1000000}).second,
            "input size 1000000x1000000: expected at most 67108864 pixels");
}

bool isHead(const Fixture& fixture) { return fixture.family == "heads"; }

std::vector<Fixture> withPlainHeads() {
  std::vector<Fixture> plain = sizedFixtures();
  std::erase_if(plain, isHead);
  return plain;
}

MPM_FOR_FIXTURES(InputSize, shareOf(withPlainHeads(), 1));

// Queries, sizes and positions behind the encoder may belong to one grid. Then it is refused.
TEST(InputSizeOfHeads, AnotherRunsOrIsRefused) {
  int ran = 0;
  for (const Fixture& fixture : sizedFixtures()) {
    if (!isHead(fixture)) continue;
    SCOPED_TRACE(fixture.name);
    ReadOptions options;
    options.schedule = {0};
    options.inputSize = {80, 64};
    options.check = true;
    try {
      cv::dnn::Net net = readNet(fixture.path(), options);
      for (const auto& [name, blob] : run(net, imagesOf(fixture, options.inputSize)))
        EXPECT_TRUE(cv::checkRange(blob.reshape(1, 1))) << name;
      ++ran;
    } catch (const std::exception& error) {
      expectSentence(error.what());
    }
  }
  EXPECT_GE(ran, 2);
}

// Positions come from the whole table, not from those that an export chose for its own size.
TEST(FixedInputSize, AGraphThatAdaptsIsReadAsIfItWereOpen) {
  int tried = 0;
  for (const Fixture& fixture : mergeableFixtures()) {
    if (!fixture.adapts || fixture.hasOpenSize) continue;
    const Folder folder;
    ::onnx::ModelProto open = protoOf(fixture.path());
    openSize(open);
    std::ofstream(folder.at("open.onnx"), std::ios::binary) << open.SerializeAsString();
    for (const cv::Size& size : {cv::Size(96, 64), cv::Size(64, 96)}) {
      SCOPED_TRACE(fixture.name + " at " + textOf(size));
      ReadOptions options;
      options.schedule = {0};
      options.inputSize = size;
      cv::dnn::Net net = readNet(fixture.path(), options),
                   expected = readNet(folder.at("open.onnx"), options);
      const cv::Mat images = imagesOf(fixture, size);
      expectSame(run(net, images), run(expected, images));
      ++tried;
    }
  }
  EXPECT_GE(tried, 10);
}

TEST(OpenInputSize, OneThatThePositionsDoNotServeIsRefused) {
  const Fixture fixture = fixtureNamed("timm_vit_open_size");
  ReadOptions options;
  options.inputSize = {80, 64};
  try {
    readNet(fixture.path(), options);
    ADD_FAILURE() << "accepted";
  } catch (const std::exception& error) {
    expectSentence(error.what());
    EXPECT_NE(std::string(error.what()).find("size"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mpm::test
