// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

}  // namespace mpm::test
