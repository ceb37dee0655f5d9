// SPDX-License-Identifier: Apache-2.0
// Fit::slide; the models' input is 64 x 48.
#include <gtest/gtest.h>

#include <limits>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>

#include "mpm/segmenter.h"
#include "segment/model_frames.h"

namespace mpm::test {
namespace {

SegmenterOptions sliding(int stride = 0) {
  SegmenterOptions options;
  options.fit = Fit::slide;
  options.stride = stride;
  return options;
}

TEST(Segmenter, TellsWhatTheGridOfTokensCovers) {
  Segmenter stretch(modelPath("segmenter_mask")), slide(modelPath("segmenter_mask"), sliding());
  EXPECT_EQ(stretch.segment(randomFrame({100, 48})).gridArea, cv::Rect2d(0, 0, 1, 1));
  EXPECT_EQ(slide.segment(randomFrame({128, 48})).gridArea, cv::Rect2d(0, 0, 0.5, 1));
  EXPECT_EQ(slide.segment(randomFrame({256, 96})).gridArea, cv::Rect2d(0, 0, 0.5, 1)) << "resized";
  SegmenterOptions small = sliding();
  small.shortSide = 24;
  Segmenter past(modelPath("segmenter_mask"), small);
  EXPECT_EQ(past.segment(randomFrame({128, 48})).gridArea, cv::Rect2d(0, 0, 1, 2));
}

TEST(Segmenter, WhereWindowsDoNotOverlapTheyAreFramesOfTheirOwn) {
  Segmenter slide(modelPath("segmenter_mask"), sliding());
  Segmenter stretch(modelPath("segmenter_mask"));
  const cv::Mat frame = randomFrame({100, 48});
  const Segmentation found = slide.segment(frame);
  EXPECT_EQ(found.windows, 2);
  EXPECT_EQ(found.rows[0], 98);
  const Segmentation left = stretch.segment(frame(cv::Rect(0, 0, 64, 48)));
  const Segmentation right = stretch.segment(frame(cv::Rect(36, 0, 64, 48)));
  EXPECT_EQ(found.rows[2], left.rows[2] + right.rows[2]);
  EXPECT_EQ(cv::norm(found.mergeMap, left.mergeMap, cv::NORM_INF), 0);
  const auto expectSame = [&](const cv::Rect& here, const Segmentation& window, int x) {
    const cv::Rect there(x, 0, here.width, here.height);
    EXPECT_EQ(cv::countNonZero(found.labels(here) != window.labels(there)), 0);
    EXPECT_LT(cv::norm(found.confidence(here), window.confidence(there), cv::NORM_INF), 1e-4);
  };
  expectSame({0, 0, 36, 48}, left, 0);
  expectSame({64, 0, 36, 48}, right, 28);
}

TEST(Segmenter, OneWindowIsTheWholeFrame) {
  Segmenter slide(modelPath("segmenter_mask"), sliding()), stretch(modelPath("segmenter_mask"));
  const cv::Mat frame = randomFrame({128, 96});
  const Segmentation found = slide.segment(frame);
  EXPECT_EQ(found.windows, 1);
  EXPECT_EQ(cv::countNonZero(found.labels != stretch.segment(frame).labels), 0);
}

TEST(Segmenter, AFrameSmallerThanAWindowIsPaddedWithTheMean) {
  SegmenterOptions options = sliding();
  options.mean = cv::Vec3f::all(0), options.std = cv::Vec3f::all(1);
  Segmenter stretch(modelPath("segmenter_mask"), options);
  options.shortSide = 30;
  Segmenter slide(modelPath("segmenter_mask"), options);
  const cv::Mat frame = randomFrame({40, 30});
  cv::Mat padded;
  cv::copyMakeBorder(frame, padded, 0, 18, 0, 24, cv::BORDER_CONSTANT, cv::Scalar());
  const Segmentation found = slide.segment(frame);
  EXPECT_EQ(found.windows, 1);
  const cv::Mat expected = stretch.segment(padded).labels(cv::Rect(0, 0, 40, 30));
  EXPECT_EQ(cv::countNonZero(found.labels != expected), 0);
}

TEST(Segmenter, ManyWindowsOfEveryKindOfModel) {
  for (const char* name : {"segmenter_mask", "setr_naive", "refused_cnn"}) {
    SCOPED_TRACE(name);
    Segmenter segmenter(modelPath(name), sliding(20));
    const Segmentation found = segmenter.segment(randomFrame({300, 200}));
    EXPECT_EQ(found.windows, 2);
    EXPECT_EQ(found.labels.size(), cv::Size(300, 200));
    EXPECT_TRUE(cv::checkRange(found.confidence, true, nullptr, 0.199, 1.0001));
  }
}

TEST(Segmenter, OptionsThatMakeNoSense) {
  const std::string model = modelPath("segmenter_mask");
  EXPECT_THROW(Segmenter(model, sliding(49)), std::invalid_argument);
  EXPECT_THROW(Segmenter(model, sliding(-1)), std::invalid_argument);
  SegmenterOptions options = sliding();
  options.shortSide = -5;
  EXPECT_THROW(Segmenter(model, options), std::invalid_argument);
  for (int SegmenterOptions::*ofWindows :
       {&SegmenterOptions::shortSide, &SegmenterOptions::stride}) {
    options = {};
    options.*ofWindows = 24;
    EXPECT_THROW(Segmenter(model, options), std::invalid_argument);
  }
  options = {};
  options.std = cv::Vec3f(1, 0, 1);
  EXPECT_THROW(Segmenter(model, options), std::invalid_argument);
}

// With them every label would be wrong, and nothing would say so.
TEST(Segmenter, RefusesColoursFrom0To255) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const auto refusal = [](const SegmenterOptions& options) -> std::string {
    try {
      Segmenter segmenter(modelPath("segmenter_mask"), options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  for (const float number : {123.675F, -103.5F, kNone, std::numeric_limits<float>::infinity()}) {
    SegmenterOptions mean, std;
    mean.mean = cv::Vec3f(0.5F, number, 0.5F);
    std.std = cv::Vec3f(0.5F, 0.5F, number);
    EXPECT_EQ(refusal(mean),
              "mean: expected three numbers for colours from 0 to 1, such as 0.5, 0.5, 0.5; divide "
              "those for 0 to 255 by 255");
    EXPECT_EQ(refusal(std).substr(0, 36), "std: expected three numbers above 0 ") << number;
  }
  SegmenterOptions right;
  right.mean = cv::Vec3f(0.485F, 0.456F, 0.406F), right.std = cv::Vec3f(0.229F, 0.224F, 1);
  EXPECT_EQ(refusal(right), "none");
}

TEST(Segmenter, RefusesMoreWindowsThanAnybodyWaitsFor) {
  SegmenterOptions options = sliding();
  options.shortSide = 1000000000;
  Segmenter segmenter(modelPath("segmenter_mask"), options);
  try {
    segmenter.segment(randomFrame({64, 48}));
    ADD_FAILURE() << "is not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "short side 1000000000: a frame of 64 x 48 would be cut into more than 10000 windows; "
        "expected a smaller one, or a larger stride");
  }
}

}  // namespace
}  // namespace mpm::test
