// SPDX-License-Identifier: Apache-2.0
// Fit::slide; the models' input is 64 x 48.
#include <gtest/gtest.h>

#include <limits>
#include <opencv2/imgproc.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/segmenter.h"
#include "segment/model_frames.h"
#include "segment/windows.h"

namespace mpm::test {
namespace {

using segment::windowStarts;
using Starts = std::vector<int>;

TEST(Windows, StandAtMultiplesOfTheStrideTheLastOneAtTheBorder) {
  const struct {
    int length, stride;
    Starts starts;
  } cases[] = {{512, 512, {0}},
               {1024, 512, {0, 512}},
               {683, 512, {0, 171}},
               {683, 100, {0, 100, 171}},
               {712, 100, {0, 100, 200}},
               {513, 512, {0, 1}},
               {300, 512, {0}}};  // a frame smaller than a window has one
  for (const auto& [length, stride, starts] : cases) {
    EXPECT_EQ(windowStarts(length, 512, stride), starts) << length << ", stride " << stride;
  }
  const std::vector<segment::Span> spans = segment::windowSpans({0}, 512, 300, 600);
  EXPECT_EQ(spans[0].begin, 0);
  EXPECT_DOUBLE_EQ(spans[0].end, 1024);
  const struct {
    int shortSide;
    cv::Size frame, resized;
  } sides[] = {{512, {640, 480}, {683, 512}},
               {512, {480, 640}, {512, 683}},
               {512, {1920, 1080}, {910, 512}},
               {512, {1, 1}, {512, 512}},
               {1, {3, 2}, {2, 1}}};
  for (const auto& [shortSide, frame, expected] : sides) {
    const segment::Resized size = segment::resizedTo(shortSide, frame.width, frame.height);
    EXPECT_EQ(cv::Size(size.width, size.height), expected) << frame;
  }
}

// Rounding may not let a pixel fall between two windows.
TEST(Windows, EveryPixelOfTheFrameLiesInOne) {
  std::mt19937 random(11);
  const auto below = [&](int limit) { return 1 + static_cast<int>(random() % limit); };
  for (int round = 0; round < 300; ++round) {
    const int length = below(900), size = below(400), frame = below(2000);
    const auto spans =
        segment::windowSpans(windowStarts(length, size, below(size)), size, length, frame);
    for (int i = 0; i < frame; ++i) {
      bool isHeld = false;
      for (const segment::Span& span : spans) isHeld = isHeld || span.holds(i + 0.5);
      ASSERT_TRUE(isHeld) << "pixel " << i << " of " << frame << ", resized to " << length
                          << ", windows of " << size;
    }
  }
}

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
  SegmenterOptions shortSide = sliding(), shortAlone, strideAlone, zero;
  shortSide.shortSide = -5;
  shortAlone.shortSide = 24;  // of windows, and there are none
  strideAlone.stride = 24;
  zero.std = cv::Vec3f(1, 0, 1);
  for (const SegmenterOptions& options :
       {sliding(49), sliding(-1), shortSide, shortAlone, strideAlone, zero}) {
    EXPECT_THROW(Segmenter(modelPath("segmenter_mask"), options), std::invalid_argument);
  }
}

// With colours from 0 to 255 every label would be wrong, and nothing would say so.
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
