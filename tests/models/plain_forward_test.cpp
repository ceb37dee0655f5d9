// SPDX-License-Identifier: Apache-2.0
// A program that knows nothing of the library: one input, forward() without a name.
#include <gtest/gtest.h>

#include <opencv2/dnn.hpp>
#include <string>

#include "cli/folder.h"
#include "fixture_list.h"
#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm::test {
namespace {

class PlainForward : public FixtureTest {};

ReadOptions atImageSize(const Fixture& fixture) {
  ReadOptions options;
  if (fixture.hasOpenSize) options.inputSize = fixture.imageSize();
  return options;
}

// OpenCV 4 gives the last one, OpenCV 5 the first.
const std::string& plainOutput(const Fixture& fixture) {
  return CV_VERSION_MAJOR >= 5 ? fixture.outputs.front() : fixture.outputs.back();
}

void expectPlainOutput(cv::dnn::Net net, const Fixture& fixture) {
  const cv::Mat images = fixture.images();
  net.setInput(images);
  const cv::Mat plain = net.forward().clone();
  net.setInput(images);
  const cv::Mat named = net.forward(plainOutput(fixture));
  ASSERT_EQ(plain.size, named.size);
  EXPECT_EQ(cv::norm(plain, named, cv::NORM_INF), 0);
}

TEST_P(PlainForward, GivesTheOutputThatOpenCvGives) {
  expectPlainOutput(readNet(GetParam().path(), atImageSize(GetParam())), GetParam());
}

TEST_P(PlainForward, GivesItFromAConvertedFileToo) {
  Folder folder;
  const std::string file = folder.at("converted.onnx");
  convert(GetParam().path(), file, atImageSize(GetParam()));
  registerLayers();
  expectPlainOutput(cv::dnn::readNetFromONNX(file), GetParam());
}

MPM_FOR_FIXTURES(PlainForward, shareOf(mergeableFixtures(), 2));

}  // namespace
}  // namespace mpm::test
