// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/areas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>
#include <queue>
#include <utility>

namespace mpm::gui {
namespace {

using Look = cv::Vec4f;  // L, a and b, and how rough it is there

constexpr float kColour = 1.5F, kRough = 1.5F;  // what they count beside lightness
// Areas beyond this share of the frame count as if they had it. So a large lawn with a gradient of
// light is one area, and a person on it is another one.
constexpr double kLargest = 1.0 / 150;

// Adds the roughness of each spot, which distinguishes grass from gravel.
cv::Mat looksOf(const cv::Mat& frame, cv::Size size) {
  cv::Mat small, lab;
  cv::resize(frame, small, size, 0, 0, cv::INTER_AREA);
  small.convertTo(lab, CV_32F, 1 / 255.0);
  cv::cvtColor(lab, lab, cv::COLOR_BGR2Lab);
  std::vector<cv::Mat> planes;
  cv::split(lab, planes);
  cv::Mat smooth, rough;
  cv::GaussianBlur(planes[0], smooth, {}, 2);
  cv::absdiff(planes[0], smooth, rough);
  cv::GaussianBlur(rough, rough, {}, 3);
  for (cv::Mat& plane : planes) cv::medianBlur(plane, plane, 3);
  planes[1] *= kColour;
  planes[2] *= kColour;
  planes.push_back(rough * kRough);
  cv::Mat looks;
  cv::merge(planes, looks);
  return looks;
}

// Merges neighbours until all are one.
class Merging {
 public:
  explicit Merging(const cv::Mat& looks) {
    const int width = looks.cols, count = static_cast<int>(looks.total());
    largest_ = std::max(1.0F, static_cast<float>(count * kLargest));
    const auto nodes = static_cast<std::size_t>(2 * count - 1);
    parents_.assign(nodes, -1);
    looks_.resize(nodes);
    sizes_.assign(nodes, 1);
    neighbours_.resize(nodes);
    std::copy_n(looks.ptr<Look>(), count, looks_.begin());
    for (int at = 0; at < count; ++at) {
      if (at % width + 1 < width) meet(at, at + 1);
      if (at + width < count) meet(at, at + width);
    }
    next_ = count;
  }

  std::vector<int> parents() {
    while (!waiting_.empty()) {
      const Pair pair = waiting_.top();
      waiting_.pop();
      if (isAlive(pair.one) && isAlive(pair.other)) merge(pair.one, pair.other);
    }
    return std::move(parents_);
  }

 private:
  struct Pair {
    float cost;
    int one, other;
    bool operator<(const Pair& than) const {  // the cheapest is on top; of equals the earlier
      return std::pair(cost, std::pair(one, other)) >
             std::pair(than.cost, std::pair(than.one, than.other));
    }
  };

  template <typename Of>
  static auto& at(Of& of, int node) {
    return of[static_cast<std::size_t>(node)];
  }
  bool isAlive(int node) const { return at(parents_, node) < 0; }

  // Returns Ward's cost: what merging adds to pixels' squared distances from their area's mean.
  float cost(int one, int other) const {
    const Look off = at(looks_, one) - at(looks_, other);
    const float a = std::min(at(sizes_, one), largest_), b = std::min(at(sizes_, other), largest_);
    return a * b / (a + b) * off.dot(off);
  }

  void meet(int one, int other) {
    at(neighbours_, one).push_back(other);
    at(neighbours_, other).push_back(one);
    waiting_.push({cost(one, other), one, other});
  }

  void merge(int one, int other) {
    const int both = next_++;
    const float a = at(sizes_, one), b = at(sizes_, other);
    at(looks_, both) = (at(looks_, one) * a + at(looks_, other) * b) * (1 / (a + b));
    at(sizes_, both) = a + b;
    at(parents_, one) = at(parents_, other) = both;
    std::vector<int> around = std::move(at(neighbours_, one));
    const std::vector<int> more = std::move(at(neighbours_, other));
    around.insert(around.end(), more.begin(), more.end());
    std::erase_if(around, [this](int node) { return !isAlive(node); });
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    for (const int node : around) meet(node, both);
  }

  std::vector<int> parents_;
  std::vector<Look> looks_;
  std::vector<float> sizes_;
  std::vector<std::vector<int>> neighbours_;  // also some that are gone
  std::priority_queue<Pair> waiting_;
  float largest_ = 1;
  int next_ = 0;
};

}  // namespace

Areas::Areas(const cv::Mat& frame) : size_(frame.size()) {
  const double shrink = std::sqrt(kMostPixels / static_cast<double>(frame.total()));
  if (shrink < 1)
    size_ = {std::max(1, cvRound(frame.cols * shrink)), std::max(1, cvRound(frame.rows * shrink))};
  parents_ = Merging(looksOf(frame, size_)).parents();
}

cv::Mat Areas::cut(int areas) const {
  const int pixels = size_.area(), nodes = 2 * pixels - std::clamp(areas, 1, pixels);
  std::vector<int> tops(static_cast<std::size_t>(nodes));
  for (int node = nodes - 1; node >= 0; --node) {
    const int parent = parents_[static_cast<std::size_t>(node)];
    tops[static_cast<std::size_t>(node)] =
        parent < 0 || parent >= nodes ? node : tops[static_cast<std::size_t>(parent)];
  }
  return cv::Mat(size_, CV_32S, tops.data()).clone();
}

}  // namespace mpm::gui
