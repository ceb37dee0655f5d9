// SPDX-License-Identifier: Apache-2.0
#include "teach/head.h"

#include <algorithm>

namespace mpm::teach {
namespace {

constexpr int kTogether = 16;  // columns, which stay in registers
constexpr int kRows = 4;       // of which the sums are loaded and stored once

// Some columns of a matrix, zeros where it has no more.
cv::Mat columnsOf(const cv::Mat& matrix, int first) {
  cv::Mat columns(matrix.rows, kTogether, CV_32F, cv::Scalar(0));
  const int count = std::min(kTogether, matrix.cols - first);
  matrix.colRange(first, first + count).copyTo(columns.colRange(0, count));
  return columns;
}

void putColumns(const cv::Mat& columns, cv::Mat& matrix, int first) {
  const int count = std::min(kTogether, matrix.cols - first);
  columns.colRange(0, count).copyTo(matrix.colRange(first, first + count));
}

}  // namespace

cv::Mat timesWeights(const cv::Mat& features, const cv::Mat& weights) {
  cv::Mat scores(features.rows, weights.cols, CV_32F), some(features.rows, kTogether, CV_32F);
  for (int first = 0; first < weights.cols; first += kTogether) {
    const cv::Mat columns = columnsOf(weights, first);
    for (int place = 0; place < features.rows; ++place) {
      const float* values = features.ptr<float>(place);
      const float* weight = columns.ptr<float>();
      float sums[kTogether] = {};
      for (int d = 0; d < features.cols; ++d, weight += kTogether) {
        for (int k = 0; k < kTogether; ++k) sums[k] += values[d] * weight[k];
      }
      std::copy(sums, sums + kTogether, some.ptr<float>(place));
    }
    putColumns(some, scores, first);
  }
  return scores;
}

cv::Mat timesSlopes(const cv::Mat& features, const cv::Mat& slopes) {
  cv::Mat weights(features.cols, slopes.cols, CV_32F);
  const float none[kTogether] = {};
  for (int first = 0; first < slopes.cols; first += kTogether) {
    const cv::Mat columns = columnsOf(slopes, first);
    cv::Mat some(features.cols, kTogether, CV_32F, cv::Scalar(0));
    for (int place = 0; place < features.rows; place += kRows) {
      const float* values[kRows];
      const float* slope[kRows];
      for (int i = 0; i < kRows; ++i) {
        const bool isThere = place + i < features.rows;
        values[i] = features.ptr<float>(isThere ? place + i : place);
        slope[i] = isThere ? columns.ptr<float>(place + i) : none;
      }
      float* sums = some.ptr<float>();
      for (int d = 0; d < features.cols; ++d, sums += kTogether) {
        for (int k = 0; k < kTogether; ++k) {
          sums[k] += values[0][d] * slope[0][k] + values[1][d] * slope[1][k] +
                     values[2][d] * slope[2][k] + values[3][d] * slope[3][k];
        }
      }
    }
    putColumns(some, weights, first);
  }
  return weights;
}

}  // namespace mpm::teach
