// SPDX-License-Identifier: Apache-2.0
#include "teach/judge.h"

#include <algorithm>
#include <cstdint>
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
                                 int classes, const Kept& kept, std::string key)
    : frames_(frames),
      grid_(grid),
      classes_(classes),
      parts_(partsOf(frames.size())),
      kept_(kept),
      key_(std::move(key)),
      last_(parts_) {}

evaluate::Confusion CrossValidation::judge(const Manner& manner,
                                           const std::function<void()>& step) {
  evaluate::Confusion confusion(static_cast<std::size_t>(classes_));
  std::string facts;
  pack(facts, &manner.decay, 1);
  pack(facts, &manner.balance, 1);
  key_ = keyOf({key_, "judged", facts});  // and so of those before it, where this one begins
  if (const auto bytes = kept_.find(key_); bytes && unpackLast(*bytes, confusion)) {
    for (std::size_t part = 0; part < parts_; ++part) step();
    return confusion;
  }
  for (std::size_t part = 0; part < parts_; ++part) {
    judgePart(part, manner, confusion);
    step();
  }
  kept_.put(key_, packedLast(confusion));
  return confusion;
}

void CrossValidation::judgePart(std::size_t part, const Manner& manner,
                                evaluate::Confusion& confusion) {
  Examples others;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (partOf(i, parts_) != part) others.push_back(&frames_[i].example);
  }
  const Loss loss(std::move(others), classes_, manner);
  std::vector<double>& x = last_[part];
  x.resize(loss.size(), 0);
  x = minimise([&](const auto& at, auto& gradient) { return loss.at(at, gradient); }, std::move(x),
               kSteps, kTolerance)
          .x;
  const Head head = loss.headOf(x);
  for (std::size_t i = part; i < frames_.size(); i += parts_) {
    const Judged& frame = frames_[i];
    confusion.add(frame.truth,
                  labelsOf(head.scores(frame.example.features), grid_, frame.truth.size()));
  }
}

std::string CrossValidation::packedLast(const evaluate::Confusion& confusion) const {
  std::string bytes;
  for (const std::vector<double>& x : last_) {
    const auto size = static_cast<std::uint64_t>(x.size());
    pack(bytes, &size, 1);
    pack(bytes, x.data(), x.size());
  }
  for (const evaluate::Count& count : confusion.counts()) pack(bytes, &count, 1);
  return bytes;
}

// False, and nothing is changed, where the bytes are none of packedLast()'s.
bool CrossValidation::unpackLast(std::string_view bytes, evaluate::Confusion& confusion) {
  std::vector<std::vector<double>> last(parts_);
  for (std::vector<double>& x : last) {
    std::uint64_t size = 0;
    if (!unpack(bytes, &size, 1) || size > bytes.size() / sizeof(double)) return false;
    x.resize(size);
    unpack(bytes, x.data(), x.size());
  }
  const std::size_t counts = bytes.size() / sizeof(evaluate::Count);
  if (bytes.size() != counts * sizeof(evaluate::Count)) return false;
  for (evaluate::Count count; unpack(bytes, &count, 1);) confusion.add(count);
  last_ = std::move(last);
  return true;
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
