// SPDX-License-Identifier: Apache-2.0
#include "teach/judge.h"

#include <algorithm>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace mpm::teach {
namespace {

constexpr std::size_t kMostParts = 5;
constexpr int kSteps = 60;
constexpr double kTolerance = 1e-4;

}  // namespace

cv::Mat labelsOf(const cv::Mat& scores, const cv::Size& grid, const cv::Size& size) {
  const cv::Mat planes = scores.t();
  cv::Mat labels(size, CV_8U, cv::Scalar(0)), best, plane;
  for (int k = 0; k < planes.rows; ++k) {
    cv::resize(planes.row(k).reshape(1, grid.height), plane, size, 0, 0, cv::INTER_LINEAR);
    if (k == 0) {
      best = plane.clone();
      continue;
    }
    labels.setTo(k, plane > best);
    cv::max(best, plane, best);
  }
  return labels;
}

std::size_t partsOf(std::size_t frames) { return frames < 2 ? 0 : std::min(frames, kMostParts); }

CrossValidation::CrossValidation(const std::vector<Judged>& frames, const cv::Size& grid,
                                 int classes)
    : frames_(frames),
      grid_(grid),
      classes_(classes),
      parts_(partsOf(frames.size())),
      last_(parts_) {}

evaluate::Confusion CrossValidation::judge(const Manner& manner,
                                           const std::function<void()>& step) {
  evaluate::Confusion confusion(static_cast<std::size_t>(classes_));
  for (std::size_t part = 0; part < parts_; ++part) {
    Examples others;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (partOf(i, parts_) != part) others.push_back(&frames_[i].example);
    }
    const Loss loss(std::move(others), classes_, manner);
    std::vector<double>& x = last_[part];
    x.resize(loss.size(), 0);
    x = minimise([&](const auto& at, auto& gradient) { return loss.at(at, gradient); },
                 std::move(x), kSteps, kTolerance)
            .x;
    const Head head = loss.headOf(x);
    for (std::size_t i = part; i < frames_.size(); i += parts_) {
      const Judged& frame = frames_[i];
      confusion.add(frame.truth,
                    labelsOf(head.scores(frame.example.features), grid_, frame.truth.size()));
    }
    step();
  }
  return confusion;
}

std::vector<double> CrossValidation::iouOf(const evaluate::Confusion& confusion) const {
  std::vector<double> iou = evaluate::qualityOf(confusion).iou;
  std::vector<std::vector<bool>> isIn(iou.size(), std::vector<bool>(parts_, false));
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    for (const Share& share : frames_[i].example.painting.shares)
      isIn[static_cast<std::size_t>(share.classNumber)][partOf(i, parts_)] = true;
  }
  for (std::size_t k = 0; k < iou.size(); ++k) {
    if (std::count(isIn[k].begin(), isIn[k].end(), true) < 2)
      iou[k] = std::numeric_limits<double>::quiet_NaN();
  }
  return iou;
}

}  // namespace mpm::teach
