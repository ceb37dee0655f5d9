// SPDX-License-Identifier: Apache-2.0
#include "segment/live_scores.h"

#include <gtest/gtest.h>

#include <limits>
#include <opencv2/imgproc.hpp>
#include <string>

#include "cli/folder.h"
#include "segment/model_frames.h"
#include "segment/score_net.h"

namespace mpm::test {
namespace {

using segment::isUpsampled;
using segment::ScoreNet;

cv::Mat randomBlob(int classes, int height, int width) {
  const int dims[] = {1, classes, height, width};
  cv::Mat blob(4, dims, CV_32F);
  cv::RNG(9).fill(blob, cv::RNG::NORMAL, 0, 3);
  return blob;
}

cv::Mat planeOf(const cv::Mat& blob, int k) {
  return {blob.size[2], blob.size[3], CV_32F, const_cast<float*>(blob.ptr<float>(0, k))};
}

cv::Mat resized(const cv::Mat& blob, int height, int width, int how) {
  cv::Mat out = randomBlob(blob.size[1], height, width);
  for (int k = 0; k < blob.size[1]; ++k) {
    cv::Mat plane = planeOf(out, k);
    cv::resize(planeOf(blob, k), plane, plane.size(), 0, 0, how);
  }
  return out;
}

TEST(IsUpsampled, WhatBilinearResizingGives) {
  const cv::Mat grid = randomBlob(4, 5, 6);
  EXPECT_TRUE(isUpsampled(grid, grid));
  EXPECT_TRUE(isUpsampled(grid, resized(grid, 40, 48, cv::INTER_LINEAR)));
  EXPECT_TRUE(isUpsampled(grid, resized(grid, 41, 47, cv::INTER_LINEAR)));
}

TEST(IsUpsampled, NothingElse) {
  const cv::Mat grid = randomBlob(4, 5, 6), right = resized(grid, 40, 48, cv::INTER_LINEAR);
  EXPECT_FALSE(isUpsampled(grid, resized(grid, 40, 48, cv::INTER_NEAREST)));
  EXPECT_FALSE(isUpsampled(grid, resized(grid, 40, 48, cv::INTER_CUBIC)));
  EXPECT_FALSE(isUpsampled(grid, right * 2));
  EXPECT_FALSE(isUpsampled(grid, cv::max(right, 0)));
  EXPECT_FALSE(isUpsampled(grid, randomBlob(3, 40, 48)));
  EXPECT_FALSE(isUpsampled(grid, randomBlob(4, 40, 48)));
  cv::Mat swapped = right.clone();
  planeOf(right, 0).copyTo(planeOf(swapped, 1));
  planeOf(right, 1).copyTo(planeOf(swapped, 0));
  EXPECT_FALSE(isUpsampled(grid, swapped));
  cv::Mat one = right.clone();
  one.ptr<float>(0, 3)[17] += 0.1F;
  EXPECT_FALSE(isUpsampled(grid, one));
  one.ptr<float>(0, 3)[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(isUpsampled(grid, one));
}

ScoreNet scoreNet(const std::string& path, const ReadOptions& options = {}) {
  return {readNet(path, options), describe(path, options), path};
}

TEST(ScoreNet, LiveRowsWhereOnlyMovesStandBehindTheRestore) {
  for (const char* name :
       {"segmenter_mask", "segmenter_mask_small", "segmenter_linear", "segmenter_static",
        "segmenter_dynamo23", "segmenter_half", "timm_vit_linear_head"}) {
    SCOPED_TRACE(name);
    const ScoreNet net = scoreNet(modelPath(name));
    EXPECT_TRUE(net.isLive());
    EXPECT_EQ(net.classes(), 5);
    EXPECT_EQ(net.grid(), cv::Size(8, 6));
  }
}

TEST(ScoreNet, TheOutputWhereAnythingElseDoes) {
  for (const char* name : {"setr_naive", "setr_pup", "upernet", "refused_cnn"}) {
    SCOPED_TRACE(name);
    const ScoreNet net = scoreNet(modelPath(name));
    EXPECT_FALSE(net.isLive());
    EXPECT_EQ(net.classes(), 5);
  }
  ReadOptions early;
  early.restore = Restore::early;
  const ScoreNet net = scoreNet(modelPath("segmenter_linear"), early);
  EXPECT_FALSE(net.isLive());
  EXPECT_EQ(net.grid(), cv::Size(64, 48));
}

TEST(ScoreNet, OfAConvertedFile) {
  const Folder folder;
  convert(modelPath("segmenter_mask"), folder.at("merged.onnx"));
  EXPECT_TRUE(scoreNet(folder.at("merged.onnx")).isLive());
}

}  // namespace
}  // namespace mpm::test
