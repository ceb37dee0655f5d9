// SPDX-License-Identifier: Apache-2.0
// Segmentation::steps: where the network's time goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <opencv2/core/utility.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "in_project.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "segment/forward_watch.h"
#include "segment/model_frames.h"

namespace mpm::test {
namespace {

using Kind = NetworkStep::Kind;

int countOf(const Segmentation& found, Kind kind) {
  return static_cast<int>(std::count_if(found.steps.begin(), found.steps.end(),
                                        [&](const auto& step) { return step.kind == kind; }));
}

double sumOf(const Segmentation& found) {
  double sum = 0;
  for (const NetworkStep& step : found.steps) sum += step.ms;
  return sum;
}

double msOf(const Segmentation& found, Kind kind, int block = -1) {
  double sum = 0;
  for (const NetworkStep& step : found.steps) {
    if (step.kind == kind && (block < 0 || step.block == block)) sum += step.ms;
  }
  return sum;
}

TEST(NetworkSteps, NameEveryBlockOnceInOrderAndItsMerge) {
  for (const char* name : {"segmenter_mask", "segmenter_linear", "setr_naive", "upernet"}) {
    SCOPED_TRACE(name);
    Segmenter segmenter(modelPath(name));
    const Segmentation found = segmenter.segment(randomFrame({40, 30}));
    EXPECT_EQ(countOf(found, Kind::block), segmenter.model().depth);
    EXPECT_EQ(countOf(found, Kind::merge), segmenter.model().depth);
    EXPECT_EQ(countOf(found, Kind::embedding), 1);
    EXPECT_EQ(countOf(found, Kind::rest), 1);
    EXPECT_EQ(found.steps.back().kind, Kind::rest);
    int next = 0;
    for (std::size_t i = 0; i < found.steps.size(); ++i) {
      if (found.steps[i].kind != Kind::block) continue;
      EXPECT_EQ(found.steps[i].block, next++);
      ASSERT_GT(i, 0u);
      EXPECT_EQ(found.steps[i - 1].kind, Kind::merge);
      EXPECT_EQ(found.steps[i - 1].block, found.steps[i].block);
    }
  }
}

// Norms and linear layers of blocks that are not computed whole are the blocks', but for those that
// the head has behind the last one.
TEST(NetworkSteps, OfBlocksInLayersOfTheirOwn) {
  struct Case {
    const char* name;
    std::size_t ofHead;
  };
  for (const auto& [name, ofHead] : {Case{"hf_dinov3", 1}, {"timm_beit", 2}, {"timm_vit", 2}}) {
    SCOPED_TRACE(name);
    cv::dnn::Net net = readNet(modelPath(name));
    const cv::Size size = describe(net).input;
    net.setInput(cv::dnn::blobFromImage(randomFrame(size), 1.0 / 255));
    net.forward();
    std::vector<double> ticks;
    net.getPerfProfile(ticks);
    std::vector<double> rows;  // of norms and linear layers
    const std::vector<cv::String> layers = net.getLayerNames();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const cv::String type = net.getLayer(layers[i])->type;
      if (type == "mpm.Normalize" || type == "mpm.Linear") rows.push_back(ticks[i]);
    }
    ASSERT_GE(rows.size(), ofHead);
    Segmentation found;
    segment::StepProfile().addLastForward(net, 1000, found.steps);
    const double expected =
        std::accumulate(rows.end() - static_cast<std::ptrdiff_t>(ofHead), rows.end(), 0.0);
    EXPECT_NEAR(msOf(found, Kind::head), expected * 1000 / cv::getTickFrequency(), 1e-6);
    EXPECT_EQ(countOf(found, Kind::block), describe(net).depth);
  }
}

TEST(NetworkSteps, AMaskDecoderIsNoBlockOfTheEncoder) {
  Segmenter mask(modelPath("segmenter_mask")), linear(modelPath("segmenter_linear"));
  EXPECT_EQ(countOf(mask.segment(randomFrame({40, 30})), Kind::decoder), 1);
  EXPECT_EQ(countOf(linear.segment(randomFrame({40, 30})), Kind::decoder), 0);
}

TEST(NetworkSteps, AddUpToTheNetworksTime) {
  for (const char* name : {"segmenter_mask", "segmenter_linear", "setr_naive", "refused_cnn"}) {
    SCOPED_TRACE(name);
    Segmenter segmenter(modelPath(name));
    for (int frame = 0; frame < 5; ++frame) {
      const Segmentation found = segmenter.segment(randomFrame({40, 30}));
      EXPECT_NEAR(sumOf(found), found.times.networkMs, 1e-6 * found.times.networkMs);
      for (const NetworkStep& step : found.steps) EXPECT_GE(step.ms, 0);
    }
  }
}

TEST(NetworkSteps, OfSlidingWindowsAddUpToAllOfThem) {
  SegmenterOptions options;
  options.fit = Fit::slide;
  Segmenter segmenter(modelPath("segmenter_mask"), options);
  const Segmentation found = segmenter.segment(randomFrame({300, 40}));
  ASSERT_GT(found.windows, 1);
  EXPECT_EQ(countOf(found, Kind::block), segmenter.model().depth);
  EXPECT_NEAR(sumOf(found), found.times.networkMs, 1e-6 * found.times.networkMs);
}

TEST(NetworkSteps, OfAModelWithoutAnEncoderAreItsHeadAndTheRest) {
  Segmenter segmenter(modelPath("refused_cnn"));
  const Segmentation found = segmenter.segment(randomFrame({40, 30}));
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_EQ(found.steps[0].kind, Kind::head);  // convolutions
  EXPECT_EQ(found.steps[1].kind, Kind::rest);
  EXPECT_NEAR(sumOf(found), found.times.networkMs, 1e-6 * found.times.networkMs);
}

// Of a model of a useful size; the least of some frames, and of more where the machine is busy.
TEST(NetworkSteps, LeaveLittleBetweenLayersAndTellWhichMergeIsOn) {
  Segmenter segmenter(inProject("models/street.onnx"));
  segmenter.setSchedule({3});
  constexpr double kMost = std::numeric_limits<double>::infinity();
  double share = kMost, on = kMost, off = kMost;
  for (int frame = 0; frame < 5 || (frame < 200 && (share >= 0.05 || on <= 3 * off)); ++frame) {
    const Segmentation found = segmenter.segment(randomFrame({64, 64}));
    share = std::min(share, msOf(found, Kind::rest) / found.times.networkMs);
    on = std::min(on, msOf(found, Kind::merge, 3));
    off = std::min(off, msOf(found, Kind::merge, 4));
  }
  EXPECT_LT(share, 0.05);
  EXPECT_GT(on, 3 * off);
}

}  // namespace
}  // namespace mpm::test
