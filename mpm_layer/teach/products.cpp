// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "teach/products.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>

#include "teach/head.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::teach {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kTogether>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
constexpr int kVectors = kTogether / kLanes;
constexpr int kRows = kVectors > 2 ? 2 : 4;    // whose sums stay in registers
constexpr int kPlaces = kVectors > 1 ? 4 : 8;  // that are added before a sum is stored
using Vector = hn::Vec<Tag>;

// Multiplies [count x D] rows by columns [D x kTogether].
template <int count>
void multiplyRows(const float* const* rows, int dim, const float* columns, float* const* sums) {
  const Tag d;
  Vector sum[count][kVectors];
  for (auto& row : sum) std::fill(row, row + kVectors, hn::Zero(d));
  for (int k = 0; k < dim; ++k, columns += kTogether) {
    for (int v = 0; v < kVectors; ++v) {
      const Vector column = hn::LoadU(d, columns + v * kLanes);
      for (int i = 0; i < count; ++i)
        sum[i][v] = hn::MulAdd(hn::Set(d, rows[i][k]), column, sum[i][v]);
    }
  }
  for (int i = 0; i < count; ++i) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[i][v], d, sums[i] + v * kLanes);
  }
}

void multiply(const cv::Mat& rows, const cv::Mat& columns, cv::Mat& sums) {
  const float* from[kRows];
  float* to[kRows];
  int row = 0;
  for (; row + kRows <= rows.rows; row += kRows) {
    for (int i = 0; i < kRows; ++i)
      from[i] = rows.ptr<float>(row + i), to[i] = sums.ptr<float>(row + i);
    multiplyRows<kRows>(from, rows.cols, columns.ptr<float>(), to);
  }
  for (; row < rows.rows; ++row) {
    from[0] = rows.ptr<float>(row), to[0] = sums.ptr<float>(row);
    multiplyRows<1>(from, rows.cols, columns.ptr<float>(), to);
  }
}

// Adds features of some places, transposed, times their columns to sums [D x kTogether]. A missing
// place has columns of 0.
void addPlaces(const float* const* features, int dim, const float* const* columns, float* sums) {
  const Tag d;
  Vector column[kPlaces][kVectors];
  for (int i = 0; i < kPlaces; ++i) {
    for (int v = 0; v < kVectors; ++v) column[i][v] = hn::LoadU(d, columns[i] + v * kLanes);
  }
  for (int k = 0; k < dim; ++k, sums += kTogether) {
    for (int v = 0; v < kVectors; ++v) {
      Vector sum = hn::LoadU(d, sums + v * kLanes);
      for (int i = 0; i < kPlaces; ++i)
        sum = hn::MulAdd(hn::Set(d, features[i][k]), column[i][v], sum);
      hn::StoreU(sum, d, sums + v * kLanes);
    }
  }
}

void multiplyTransposed(const cv::Mat& features, const cv::Mat& columns, cv::Mat& sums) {
  const float none[kTogether] = {};
  const float* from[kPlaces];
  const float* column[kPlaces];
  for (int place = 0; place < features.rows; place += kPlaces) {
    for (int i = 0; i < kPlaces; ++i) {
      const bool isThere = place + i < features.rows;
      from[i] = features.ptr<float>(isThere ? place + i : place);
      column[i] = isThere ? columns.ptr<float>(place + i) : none;
    }
    addPlaces(from, features.cols, column, sums.ptr<float>());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::teach
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::teach {
namespace {

HWY_EXPORT(multiply);
HWY_EXPORT(multiplyTransposed);

// Returns some columns of a matrix, filled up with zeros.
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
    HWY_DYNAMIC_DISPATCH(multiply)(features, columnsOf(weights, first), some);
    putColumns(some, scores, first);
  }
  return scores;
}

cv::Mat timesSlopes(const cv::Mat& features, const cv::Mat& slopes) {
  cv::Mat weights(features.cols, slopes.cols, CV_32F);
  for (int first = 0; first < slopes.cols; first += kTogether) {
    cv::Mat some(features.cols, kTogether, CV_32F, cv::Scalar(0));
    HWY_DYNAMIC_DISPATCH(multiplyTransposed)(features, columnsOf(slopes, first), some);
    putColumns(some, weights, first);
  }
  return weights;
}

}  // namespace mpm::teach
#endif  // HWY_ONCE
