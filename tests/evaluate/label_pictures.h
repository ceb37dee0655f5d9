// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <opencv2/core.hpp>
#include <vector>

namespace mpm::test {

/// A label picture of rectangles, CV_8U, each of one of these numbers.
inline cv::Mat drawnNumbers(const cv::Size& size, const std::vector<int>& numbers,
                            std::uint64_t seed) {
  cv::RNG random(seed);
  const auto any = [&] {
    return numbers[static_cast<std::size_t>(random.uniform(0, static_cast<int>(numbers.size())))];
  };
  cv::Mat drawn(size, CV_8U, cv::Scalar(any()));
  for (int i = 0; i < 12; ++i) {
    const int x = random.uniform(0, size.width), y = random.uniform(0, size.height);
    const cv::Rect box(x, y, random.uniform(1, size.width), random.uniform(1, size.height));
    drawn(box & cv::Rect({}, size)).setTo(cv::Scalar(any()));
  }
  return drawn;
}

/// Numbers from 0 up to `end`.
inline std::vector<int> numbersTo(int end) {
  std::vector<int> numbers;
  for (int number = 0; number < end; ++number) numbers.push_back(number);
  return numbers;
}

/// A picture's true classes, CV_16U, 65535 where nobody knows, and those that were found.
struct Labelled {
  cv::Mat truth, found;
};

/// Mean IoU by sets of pixels, class by class, over those within `mask` where pictures have one.
inline double plainMeanIou(const std::vector<Labelled>& pictures, int classes,
                           const std::vector<cv::Mat>& masks = {}) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < classes; ++k) {
    std::int64_t both = 0, either = 0;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      cv::Mat known = pictures[i].truth != 65535;
      if (!masks.empty()) known &= masks[i];
      const cv::Mat truth = pictures[i].truth == k, found = pictures[i].found == k;
      both += cv::countNonZero(truth & found & known);
      either += cv::countNonZero((truth | found) & known);
    }
    if (either == 0) continue;
    sum += static_cast<double>(both) / static_cast<double>(either);
    ++count;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace mpm::test
