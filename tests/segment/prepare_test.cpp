// SPDX-License-Identifier: Apache-2.0
#include "segment/prepare.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <ostream>
#include <utility>

namespace mpm::segment {
namespace {

struct PrepareCase {
  cv::Size picture, resized;
  int channels = 3;
};

std::ostream& operator<<(std::ostream& stream, const PrepareCase& c) {
  return stream << c.picture << " of " << c.channels << " to " << c.resized;
}

const std::vector<PrepareCase>& cases() {
  static const std::vector<PrepareCase> all = [] {
    std::vector<PrepareCase> made;
    const std::pair<cv::Size, cv::Size> sizes[] = {
        {{1, 1}, {1, 1}},     {{1, 1}, {33, 17}},    {{2, 3}, {64, 48}},    {{37, 23}, {64, 48}},
        {{64, 48}, {64, 48}}, {{128, 96}, {64, 48}}, {{301, 97}, {64, 48}}, {{640, 3}, {17, 40}}};
    for (const auto& [picture, resized] : sizes) {
      for (const int channels : {1, 3, 4}) made.push_back({picture, resized, channels});
    }
    return made;
  }();
  return all;
}

const Colours kColours = {{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}, true};

// Inside a larger Mat: rows do not follow each other without a gap.
cv::Mat randomPicture(const PrepareCase& c, cv::Mat& around) {
  around.create(c.picture.height + 3, c.picture.width + 5, CV_8UC(c.channels));
  cv::RNG random(17);
  random.fill(around, cv::RNG::UNIFORM, 0, 256);
  return around(cv::Rect(2, 1, c.picture.width, c.picture.height));
}

Picture pictureOf(const cv::Mat& mat) {
  return {mat.data, mat.step[0], mat.cols, mat.rows, mat.channels()};
}

std::vector<float> prepared(const Picture& picture, const View& view, const Colours& colours) {
  std::vector<float> planes(static_cast<std::size_t>(3) * view.width * view.height, -99);
  Preparer().prepare(picture, view, colours, planes.data());
  return planes;
}

std::vector<float> preparedReference(const Picture& picture, const View& view,
                                     const Colours& colours) {
  std::vector<float> planes(static_cast<std::size_t>(3) * view.width * view.height, -99);
  prepareReference(picture, view, colours, planes.data());
  return planes;
}

void expectNear(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-4) << i;
}

TEST(Prepare, TheReferenceIsOpenCvsResizeToOneGreyLevel) {
  for (const PrepareCase& c : cases()) {
    SCOPED_TRACE(testing::PrintToString(c));
    cv::Mat around;
    const cv::Mat picture = randomPicture(c, around);
    const View view = {c.resized.width, c.resized.height, 0, 0, c.resized.width, c.resized.height};
    const std::vector<float> planes = preparedReference(pictureOf(picture), view, kColours);
    cv::Mat bgr = picture, resized;
    if (c.channels == 1) cv::cvtColor(picture, bgr, cv::COLOR_GRAY2BGR);
    if (c.channels == 4) cv::cvtColor(picture, bgr, cv::COLOR_BGRA2BGR);
    cv::resize(bgr, resized, c.resized, 0, 0, cv::INTER_LINEAR);
    std::size_t i = 0;
    for (int plane = 0; plane < 3; ++plane) {
      for (int y = 0; y < resized.rows; ++y) {
        for (int x = 0; x < resized.cols; ++x) {
          const float level = (planes[i++] * kColours.std[plane] + kColours.mean[plane]) * 255;
          ASSERT_NEAR(level, resized.at<cv::Vec3b>(y, x)[2 - plane], 1) << y << ", " << x;
        }
      }
    }
  }
}

TEST(Prepare, FastIsTheReference) {
  for (const PrepareCase& c : cases()) {
    for (const bool rgb : {true, false}) {
      SCOPED_TRACE(testing::PrintToString(c) + (rgb ? ", RGB" : ", BGR"));
      Colours colours = kColours;
      colours.rgb = rgb;
      cv::Mat around;
      const Picture picture = pictureOf(randomPicture(c, around));
      const View view = {c.resized.width, c.resized.height, 0, 0,
                         c.resized.width, c.resized.height};
      expectNear(prepared(picture, view, colours), preparedReference(picture, view, colours));
    }
  }
}

// Every width, so that each column is once among those left over by whole vectors.
TEST(Prepare, APixelsValueDoesNotDependOnTheKindOfPictureItIsIn) {
  for (int width = 1; width < 70; ++width) {
    SCOPED_TRACE(width);
    cv::Mat around, bgr, bgra, grey;
    const cv::Mat picture = randomPicture({{width, 9}, {}, 3}, around);
    const View view = {41, 13, 0, 0, 41, 13};
    cv::cvtColor(picture, bgra, cv::COLOR_BGR2BGRA);
    EXPECT_EQ(prepared(pictureOf(bgra), view, kColours),
              prepared(pictureOf(picture), view, kColours));
    cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
    cv::cvtColor(grey, bgr, cv::COLOR_GRAY2BGR);
    EXPECT_EQ(prepared(pictureOf(grey), view, kColours), prepared(pictureOf(bgr), view, kColours));
  }
}

TEST(Prepare, AWindowIsAPartOfTheWholeAndPaddingIsTheMean) {
  cv::Mat around;
  const Picture picture = pictureOf(randomPicture({{61, 47}, {}, 3}, around));
  const std::vector<float> whole = prepared(picture, {100, 80, 0, 0, 100, 80}, kColours);
  const View view = {100, 80, 57, 33, 64, 48};
  const std::vector<float> part = prepared(picture, view, kColours);
  expectNear(part, preparedReference(picture, view, kColours));
  int padding = 0;
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) {
      const float value = part[(64 * 48) + y * 64 + x];
      if (57 + x >= 100 || 33 + y >= 80) {
        EXPECT_EQ(value, 0);
        ++padding;
      } else {
        EXPECT_NEAR(value, whole[(100 * 80) + (33 + y) * 100 + 57 + x], 1e-5);
      }
    }
  }
  EXPECT_EQ(padding, 48 * 64 - 47 * 43);
}

TEST(Prepare, ChannelsAndLevels) {
  const std::uint8_t pixel[4] = {0, 51, 255, 9};
  const Colours plain = {{0, 0, 0}, {1, 1, 1}, true};
  expectNear(prepared({pixel, 4, 1, 1, 4}, {1, 1, 0, 0, 1, 1}, plain), {1, 0.2F, 0});
  const Colours bgr = {{0, 0.2F, 0.5F}, {1, 0.5F, 0.5F}, false};
  const std::vector<float> found = prepared({pixel, 3, 1, 1, 3}, {1, 1, 0, 0, 1, 1}, bgr);
  EXPECT_NEAR(found[0], 0, 1e-6);
  EXPECT_NEAR(found[1], 0, 1e-6);
  EXPECT_NEAR(found[2], 1, 1e-6);
}

TEST(Prepare, APreparerKeepsNothingOfTheLastFrame) {
  Preparer preparer;
  for (const PrepareCase& c : cases()) {
    cv::Mat around;
    const Picture picture = pictureOf(randomPicture(c, around));
    const View view = {c.resized.width, c.resized.height, 0, 0, c.resized.width, c.resized.height};
    std::vector<float> planes(static_cast<std::size_t>(3) * view.width * view.height, -99);
    preparer.prepare(picture, view, kColours, planes.data());
    EXPECT_EQ(planes, prepared(picture, view, kColours)) << c;
  }
}

}  // namespace
}  // namespace mpm::segment
