// SPDX-License-Identifier: Apache-2.0
#include "class_overlay.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace demo {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) found.push_back(line);
  return found;
}

// The best class of each pixel of a frame: scores [1, K, h, w] are resized, then compared.
cv::Mat bestClasses(const cv::Mat& scores, const cv::Size& frame) {
  if (scores.dims != 4 || scores.size[1] > CV_CN_MAX) {
    throw std::runtime_error(
        "the model's first output is not a score map [1, classes, height, width]");
  }
  const int classes = scores.size[1], height = scores.size[2], width = scores.size[3];
  const cv::Mat planes(classes, height * width, CV_32F, const_cast<float*>(scores.ptr<float>()));
  cv::Mat pixels;  // height x width, a channel for each class
  cv::transpose(planes, pixels);
  cv::resize(pixels.reshape(classes, height), pixels, frame, 0, 0, cv::INTER_LINEAR);
  cv::Mat best(frame, CV_32S);
  cv::parallel_for_({0, frame.height}, [&](const cv::Range& rows) {
    for (int y = rows.start; y < rows.end; ++y) {
      const float* values = pixels.ptr<float>(y);
      for (int x = 0; x < frame.width; ++x, values += classes) {
        best.at<int>(y, x) = static_cast<int>(std::max_element(values, values + classes) - values);
      }
    }
  });
  return best;
}

}  // namespace

ClassOverlay::ClassOverlay(const std::string& names, const std::string& colours)
    : names_(lines(names)), colours_(lines(colours)) {}

std::string ClassOverlay::name(int index) const {
  const auto i = static_cast<std::size_t>(index);
  return i < names_.size() ? names_[i] : "class " + std::to_string(index);
}

cv::Vec3b ClassOverlay::colour(int index) const {
  const auto i = static_cast<std::size_t>(index);
  unsigned red = 0, green = 0, blue = 0;
  if (i < colours_.size() &&
      std::sscanf(colours_[i].c_str(), "#%2x%2x%2x", &red, &green, &blue) == 3) {
    return {cv::saturate_cast<uchar>(blue), cv::saturate_cast<uchar>(green),
            cv::saturate_cast<uchar>(red)};
  }
  constexpr int kGoldenTurn = 111;  // of 180: neighbours in number are far apart on the wheel
  cv::Mat pixel(1, 1, CV_8UC3, cv::Scalar(index * kGoldenTurn % 180, 200, 255 - index % 3 * 60));
  cv::cvtColor(pixel, pixel, cv::COLOR_HSV2BGR);
  return pixel.at<cv::Vec3b>(0, 0);
}

void ClassOverlay::draw(cv::Mat& frame, const cv::Mat& scores) const {
  const cv::Mat best = bestClasses(scores, frame.size());
  std::vector<cv::Vec3b> colours;
  for (int k = 0; k < scores.size[1]; ++k) colours.push_back(colour(k));
  std::vector<int> pixels(colours.size(), 0);
  cv::Mat painted(frame.size(), CV_8UC3);
  for (int y = 0; y < frame.rows; ++y) {
    for (int x = 0; x < frame.cols; ++x) {
      const int k = best.at<int>(y, x);
      ++pixels[k];
      painted.at<cv::Vec3b>(y, x) = colours[k];
    }
  }
  cv::addWeighted(frame, 0.45, painted, 0.55, 0, frame);
  drawLegend(frame, pixels);
}

void ClassOverlay::drawLegend(cv::Mat& frame, const std::vector<int>& pixels) const {
  constexpr int kMost = 8, kLine = 22;
  std::vector<int> order(pixels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return pixels[a] > pixels[b]; });
  for (int line = 0; line < std::min(kMost, static_cast<int>(order.size())); ++line) {
    const int k = order[line];
    const double share = 100.0 * pixels[k] / static_cast<double>(frame.total());
    if (pixels[k] == 0) break;
    const int y = 34 + line * kLine;
    cv::rectangle(frame, cv::Rect(8, y, 16, 16), cv::Scalar(colour(k)), cv::FILLED);
    cv::rectangle(frame, cv::Rect(8, y, 16, 16), cv::Scalar::all(0));
    writeLine(frame, cv::format("%s %.0f%%", name(k).c_str(), share), {30, y + 13});
  }
}

void writeLine(cv::Mat& picture, const std::string& text, cv::Point at) {
  for (const auto& [width, shade] : {std::pair{3, 0}, {1, 255}}) {
    cv::putText(picture, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.5, cv::Scalar::all(shade), width,
                cv::LINE_AA);
  }
}

}  // namespace demo
