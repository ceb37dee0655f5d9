// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/label_painting.h"

#include <gtest/gtest.h>

#include "small_result.h"

namespace mpm::gui {
namespace {

constexpr QRgb kBelow = 0xff000000, kOne = 0xff00ff00, kTwo = 0xff0000ff;

cv::Mat black(cv::Size size) {
  cv::Mat pixels(size, CV_8UC4);
  for (int y = 0; y < size.height; ++y) std::fill_n(pixels.ptr<QRgb>(y), size.width, kBelow);
  return pixels;
}

// Class 0 left, class 1 right, class 300 (one past the looks) in the lowest row.
cv::Mat labels(int type) {
  cv::Mat made(20, 40, type, cv::Scalar(0));
  made.colRange(20, 40).setTo(1);
  made.row(19).setTo(type == CV_8U ? 200 : 300);
  return made;
}

Part partOf(cv::Size size) { return {{0, 0, 40, 20}, {40, 20}, size}; }

QRgb at(const cv::Mat& pixels, int x, int y) { return pixels.ptr<QRgb>(y)[x]; }

class LabelPaintingOf : public testing::TestWithParam<int> {};

TEST_P(LabelPaintingOf, PaintsWhatIsShown) {
  cv::Mat pixels = black({80, 40});
  const std::vector<LabelLook> looks{{kOne, true}, {kTwo, false}, {0xffffff00, true}};
  LabelPainting().overlay(pixels, labels(GetParam()), partOf({80, 40}), looks, 1, 0);
  EXPECT_EQ(at(pixels, 39, 10), kOne);
  EXPECT_EQ(at(pixels, 40, 10), kBelow) << "a class that is not shown";
  EXPECT_EQ(at(pixels, 5, 39), 0xffffff00U) << "a label past the classes has the last look";
}

TEST_P(LabelPaintingOf, DrawsLinesWhereAClassIsShown) {
  const std::vector<LabelLook> looks{{kOne, true}, {kTwo, false}, {kTwo, false}};
  cv::Mat pixels = black({40, 20});
  LabelPainting().overlay(pixels, labels(GetParam()), partOf({40, 20}), looks, 0, 1);
  EXPECT_EQ(at(pixels, 19, 5), kBelow);
  EXPECT_GT(qRed(at(pixels, 20, 5)), 200);
  EXPECT_EQ(at(pixels, 21, 5), kBelow);
  EXPECT_GT(qRed(at(pixels, 5, 19)), 200) << "a border below";
  EXPECT_EQ(at(pixels, 30, 19), kBelow) << "between two classes that are not shown";
}

TEST_P(LabelPaintingOf, LinesAreAsWideAsAskedFor) {
  const std::vector<LabelLook> looks(3, {kOne, true});
  cv::Mat pixels = black({80, 40});
  LabelPainting().overlay(pixels, labels(GetParam()), partOf({80, 40}), looks, 0, 2);
  for (int x = 38; x < 44; ++x) EXPECT_EQ(qRed(at(pixels, x, 10)) > 0, x == 40 || x == 41) << x;
  for (int y = 36; y < 40; ++y) EXPECT_EQ(qRed(at(pixels, 10, y)) > 0, y >= 38) << y;
}

TEST_P(LabelPaintingOf, MarksDifferences) {
  cv::Mat others = labels(GetParam()).clone();
  others(cv::Rect(3, 4, 2, 1)).setTo(1);
  cv::Mat pixels = black({40, 20});
  LabelPainting().differences(pixels, labels(GetParam()), others, partOf({40, 20}), kTwo, 1);
  int marked = 0;
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 40; ++x) marked += at(pixels, x, y) == kTwo;
  }
  EXPECT_EQ(marked, 2);
  EXPECT_EQ(at(pixels, 4, 4), kTwo);
}

INSTANTIATE_TEST_SUITE_P(EightAndSixteenBits, LabelPaintingOf, testing::Values(CV_8U, CV_16U));

TEST(LabelPainting, LooksFollowTheClasses) {
  ClassSettings classes;
  giveSmallClasses(classes);
  classes.setSolo(1);
  const std::vector<LabelLook> looks = looksOf(classes);
  ASSERT_EQ(looks.size(), 4U);
  EXPECT_FALSE(looks[0].shown);
  EXPECT_TRUE(looks[1].shown);
  EXPECT_EQ(looks[1].colour, qRgb(0, 255, 0));
  EXPECT_FALSE(looks[3].shown);
}

}  // namespace
}  // namespace mpm::gui
