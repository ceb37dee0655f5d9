// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <opencv2/imgproc.hpp>

namespace mpm::monitor {
namespace {

constexpr int kWidth = 64, kHeight = 36;
constexpr int kCellsInMean = 4;
constexpr int kRowsInCell = 5;  // of a picture that is larger, others are left out

// Chroma is compared with brightness and this: one step of 8 bits off grey is no colour, however
// dark the picture is.
constexpr double kDark = 0.1;

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<float>& values, double mean) {
  double squares = 0;
  for (const float value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double darkerMean(std::vector<float>& values) {
  const auto end = values.begin() + static_cast<std::ptrdiff_t>((values.size() * 3 + 3) / 4);
  std::nth_element(values.begin(), end - 1, values.end());
  return std::accumulate(values.begin(), end, 0.0) / static_cast<double>(end - values.begin());
}

// A picture that is exposed for the sky has a dark ground by day, and no lamps light up a quarter
// of the sky at night: a sky of this brightness is the day's, as one would judge the ground's.
constexpr double kSkyShare = 0.46;

// The luma that a quarter of the upper quarter exceeds.
double skyOf(const std::vector<float>& luma, const cv::Size& size) {
  const auto rows = static_cast<std::size_t>(std::max(1, size.height / 4));
  const auto end =
      luma.begin() + static_cast<std::ptrdiff_t>(rows * static_cast<std::size_t>(size.width));
  std::vector<float> upper(luma.begin(), end);
  const auto at = upper.begin() + static_cast<std::ptrdiff_t>(upper.size() * 3 / 4);
  std::nth_element(upper.begin(), at, upper.end());
  return *at;
}

void measureLuma(const cv::Mat& small, std::vector<float>& luma) {
  std::size_t cell = 0;
  for (int y = 0; y < small.rows; ++y) {
    const auto* pixel = small.ptr<cv::Vec3b>(y);
    for (int x = 0; x < small.cols; ++x, ++cell) {
      luma[cell] =
          (0.114f * static_cast<float>(pixel[x][0]) + 0.587f * static_cast<float>(pixel[x][1]) +
           0.299f * static_cast<float>(pixel[x][2])) /
          255;
    }
  }
}

// Of means of 4 x 4 cells: a sensor's noise has a colour in each cell, and none over many.
double saturationOf(const cv::Mat& small) {
  cv::Mat means;
  small.convertTo(means, CV_32F);
  const cv::Size size(std::max(1, small.cols / kCellsInMean),
                      std::max(1, small.rows / kCellsInMean));
  cv::resize(means, means, size, 0, 0, cv::INTER_AREA);
  double chroma = 0, brightest = 0;
  for (int y = 0; y < means.rows; ++y) {
    const auto* mean = means.ptr<cv::Vec3f>(y);
    for (int x = 0; x < means.cols; ++x) {
      const auto [least, most] = std::minmax({mean[x][0], mean[x][1], mean[x][2]});
      chroma += most - least;
      brightest += most;
    }
  }
  return chroma / (brightest + kDark * 255 * static_cast<double>(means.total()));
}

}  // namespace

void Glance::shrink(const cv::Mat& picture) {
  const int stride = std::max(1, picture.rows / (kHeight * kRowsInCell));
  const cv::Mat rows(picture.rows / stride, picture.cols, picture.type(), picture.data,
                     picture.step[0] * static_cast<std::size_t>(stride));
  // Enlarged, INTER_AREA interpolates: a picture smaller than the copy stays as it is.
  const cv::Size size(std::min(kWidth, rows.cols), std::min(kHeight, rows.rows));
  cv::resize(rows, small_, size, 0, 0, cv::INTER_AREA);
}

Look Glance::at(const cv::Mat& picture) {
  shrink(picture);
  luma_.swap(before_);
  luma_.resize(small_.total());
  Look look;
  if (small_.channels() == 3) {
    measureLuma(small_, luma_);
    look.saturation = saturationOf(small_);
  } else {
    const cv::Mat_<uchar> grey(small_);
    std::transform(grey.begin(), grey.end(), luma_.begin(),
                   [](uchar value) { return static_cast<float>(value) / 255; });
  }
  look.luma = mean(luma_);
  look.contrast = deviation(luma_, look.luma);
  ordered_ = luma_;
  look.level = std::max(darkerMean(ordered_), kSkyShare * skyOf(luma_, small_.size()));
  if (before_.size() == luma_.size()) {
    double differences = 0;
    for (std::size_t cell = 0; cell < luma_.size(); ++cell) {
      differences += std::abs(luma_[cell] - before_[cell]);
    }
    look.change = differences / static_cast<double>(luma_.size());
  }
  return look;
}

}  // namespace mpm::monitor
