// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/record_frames.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>

namespace mpm::gui {
namespace {

const cv::Size kGrid(16, 9), kSmall(8 * 16, 8 * 9);
constexpr float kRough = 2;  // drops and flakes are small and faint beside what light does

float distance(const std::vector<float>& one, const std::vector<float>& other) {
  double squares = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    squares += (one[i] - other[i]) * static_cast<double>(one[i] - other[i]);
  return static_cast<float>(
      std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, one.size()))));
}

int mostOrdinary(const std::vector<std::vector<float>>& looks) {
  int found = -1;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < looks.size(); ++i) {
    double sum = 0;
    for (const auto& other : looks) sum += distance(looks[i], other);
    if (sum >= least) continue;
    least = sum;
    found = static_cast<int>(i);
  }
  return found;
}

}  // namespace

std::vector<float> lookOf(const cv::Mat& picture) {
  cv::Mat small, lab, means;
  cv::resize(picture, small, kSmall, 0, 0, cv::INTER_AREA);
  small.convertTo(small, CV_32F, 1 / 255.0);
  cv::cvtColor(small, lab, cv::COLOR_BGR2Lab);
  cv::resize(lab, means, kGrid, 0, 0, cv::INTER_AREA);
  cv::Mat light, smooth, rough;
  cv::extractChannel(lab, light, 0);
  cv::GaussianBlur(light, smooth, {3, 3}, 0);
  cv::absdiff(light, smooth, rough);
  cv::resize(rough, rough, kGrid, 0, 0, cv::INTER_AREA);
  std::vector<float> look;
  look.reserve(static_cast<std::size_t>(kGrid.area()) * 4);
  for (int y = 0; y < kGrid.height; ++y) {
    for (int x = 0; x < kGrid.width; ++x) {
      const auto& mean = means.at<cv::Vec3f>(y, x);
      look.insert(look.end(), {mean[0], mean[1], mean[2], kRough * rough.at<float>(y, x)});
    }
  }
  return look;
}

std::vector<int> proposeFrames(const std::vector<std::vector<float>>& looks, int count,
                               const std::vector<std::vector<float>>& known) {
  constexpr float kAlike = 0.5F;  // of Lab's units: what nobody sees
  std::vector<int> chosen;
  if (looks.empty() || count <= 0) return chosen;
  std::vector<float> nearest(looks.size(), std::numeric_limits<float>::max());
  const auto meet = [&](const std::vector<float>& other) {
    for (std::size_t i = 0; i < looks.size(); ++i)
      nearest[i] = std::min(nearest[i], distance(looks[i], other));
  };
  for (const auto& other : known) meet(other);
  if (known.empty()) {
    chosen.push_back(mostOrdinary(looks));
    meet(looks[static_cast<std::size_t>(chosen.back())]);
  }
  while (static_cast<int>(chosen.size()) < count) {
    const auto farthest = std::max_element(nearest.begin(), nearest.end());
    if (*farthest <= kAlike) break;
    chosen.push_back(static_cast<int>(farthest - nearest.begin()));
    meet(looks[static_cast<std::size_t>(chosen.back())]);
  }
  return chosen;
}

}  // namespace mpm::gui
