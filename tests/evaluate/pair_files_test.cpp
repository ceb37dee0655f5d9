// SPDX-License-Identifier: Apache-2.0
#include "evaluate/pairs.h"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "cli/folder.h"
#include "evaluate/png_bytes.h"
#include "evaluate/truth.h"

namespace mpm::test {
namespace {

using evaluate::readLabelNumbers;

class LabelImage : public testing::Test {
 protected:
  cv::Mat readBytes(const std::string& bytes) {
    return readLabelNumbers(folder_.write("label.png", bytes));
  }

  cv::Mat readPicture(const cv::Mat& picture) {
    cv::imwrite(folder_.at("label.png"), picture);
    return readLabelNumbers(folder_.at("label.png"));
  }

  void expectRefused(const std::string& path, const std::string& part) {
    try {
      readLabelNumbers(path);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const std::runtime_error& error) {
      const std::string sentence = error.what();
      EXPECT_EQ(sentence.find(path + ": "), 0U) << sentence;
      EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    }
  }

  static void expectSame(const cv::Mat& numbers, const std::vector<std::vector<int>>& rows) {
    ASSERT_EQ(numbers.type(), CV_16U);
    ASSERT_EQ(numbers.size(),
              cv::Size(static_cast<int>(rows[0].size()), static_cast<int>(rows.size())));
    for (int y = 0; y < numbers.rows; ++y) {
      for (int x = 0; x < numbers.cols; ++x)
        EXPECT_EQ(numbers.at<std::uint16_t>(y, x),
                  rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]);
    }
  }

  Folder folder_;
};

TEST_F(LabelImage, GreyOfEightAndSixteenBits) {
  expectSame(readPicture((cv::Mat_<std::uint8_t>(1, 3) << 0, 7, 255)), {{0, 7, 255}});
  expectSame(readPicture((cv::Mat_<std::uint16_t>(1, 3) << 0, 300, 65535)), {{0, 300, 65535}});
}

TEST_F(LabelImage, GreyOfFewBits) {
  for (const int bits : {1, 2, 4, 8}) {
    const int last = (1 << bits) - 1;
    const std::vector<std::vector<int>> rows = {{0, last, 1, last, 0}, {last / 2, 1, 0, 0, last}};
    PngPlan plan;
    plan.bits = bits, plan.colourType = 0, plan.rows = rows;
    expectSame(readBytes(pngBytes(plan)), rows);
  }
}

// The colours of Pascal VOC: number 255 is a light grey.
TEST_F(LabelImage, IndicesOfAPalette) {
  PngPlan plan;
  for (int i = 0; i < 256; ++i)
    plan.palette.push_back(static_cast<std::uint32_t>(i * 66049 % 0xFFFFFF));
  plan.rows = {{0, 1, 2, 255}, {254, 17, 0, 0}};
  expectSame(readBytes(pngBytes(plan)), plan.rows);
  plan.hasAlpha = true;
  expectSame(readBytes(pngBytes(plan)), plan.rows);
  plan = {2, 3, {0x000000, 0xFF0000, 0x00FF00}, false, {{0, 1, 2, 2, 1}}};
  expectSame(readBytes(pngBytes(plan)), plan.rows);
}

TEST_F(LabelImage, APaletteWithAColourTwice) {
  const PngPlan plan = {8, 3, {0x102030, 0x405060, 0x102030}, false, {{0, 1}}};
  expectRefused(folder_.write("twice.png", pngBytes(plan)), "lists #102030 at 0 and again");
  const PngPlan unused = {8, 3, {0x102030, 0x405060, 0x102030}, false, {{1, 1}}};
  expectSame(readBytes(pngBytes(unused)), unused.rows);
}

TEST_F(LabelImage, WhatIsNone) {
  cv::imwrite(folder_.at("colours.png"), cv::Mat(4, 4, CV_8UC3, cv::Scalar(1, 2, 3)));
  expectRefused(folder_.at("colours.png"),
                "of type CV_8UC3; expected one channel of class numbers");
  expectRefused(folder_.write("text.png", "no picture"), "it cannot be read as a picture");
  expectRefused(folder_.write("empty.png", ""), "it cannot be read as a picture");
  expectRefused(folder_.at("missing.png"), "it cannot be read as a picture");
  const PngPlan plan = {8, 3, {0x000000, 0xFFFFFF}, false, {{0, 1}, {1, 0}}};
  const std::string bytes = pngBytes(plan);
  for (std::size_t size = 0; size < bytes.find("IEND") - 12; ++size) {
    SCOPED_TRACE("cut at " + std::to_string(size));
    expectRefused(folder_.write("half.png", bytes.substr(0, size)), "");
  }
}

TEST(LabelRule, PlainNumbers) {
  const cv::Mat numbers = (cv::Mat_<std::uint16_t>(1, 4) << 0, 2, 255, 1);
  const auto truth = evaluate::LabelRule::plain(3, 255).truthOf(numbers);
  EXPECT_FALSE(truth.outside);
  EXPECT_EQ(cv::countNonZero(truth.classes != (cv::Mat_<std::uint16_t>(1, 4) << 0, 2, 65535, 1)),
            0);
  EXPECT_EQ(evaluate::LabelRule::plain(2, 255).truthOf(numbers).outside, 2);
  EXPECT_EQ(evaluate::LabelRule::plain(3, 1).truthOf(numbers).outside, 255);
}

TEST(LabelRule, ReducedZero) {
  const cv::Mat numbers = (cv::Mat_<std::uint16_t>(1, 4) << 0, 3, 255, 1);
  const auto truth = evaluate::LabelRule::reducedZero(3, 255).truthOf(numbers);
  EXPECT_FALSE(truth.outside);
  const cv::Mat expected = (cv::Mat_<std::uint16_t>(1, 4) << 65535, 2, 65535, 0);
  EXPECT_EQ(cv::countNonZero(truth.classes != expected), 0);
  EXPECT_EQ(evaluate::LabelRule::reducedZero(2, 255).truthOf(numbers).outside, 3);
}

// Parking is none of the 19, person is the twelfth, bicycle the last one.
TEST(LabelRule, CityscapesOwnNumbers) {
  const cv::Mat numbers = (cv::Mat_<std::uint16_t>(1, 6) << 7, 9, 24, 33, 0, 255);
  const auto truth = evaluate::LabelRule::cityscapesIds().truthOf(numbers);
  EXPECT_FALSE(truth.outside);
  const cv::Mat expected = (cv::Mat_<std::uint16_t>(1, 6) << 0, 65535, 11, 18, 65535, 65535);
  EXPECT_EQ(cv::countNonZero(truth.classes != expected), 0);
  const cv::Mat beyond = (cv::Mat_<std::uint16_t>(1, 1) << 34);
  EXPECT_EQ(evaluate::LabelRule::cityscapesIds().truthOf(beyond).outside, 34);
}

}  // namespace
}  // namespace mpm::test
