// SPDX-License-Identifier: Apache-2.0
#include "teach/judge.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace mpm::teach {
namespace {

constexpr std::size_t kMostParts = 5, kPartsOfMany = 3, kMany = 12;
constexpr int kSteps = 60;
constexpr double kTolerance = 3e-4;

}  // namespace

cv::Mat labelsOf(const cv::Mat& scores, const cv::Size& grid, const cv::Size& size, double* sure) {
  const cv::Mat planes = scores.t();
  cv::Mat labels(size, CV_8U, cv::Scalar(0)), best;
  std::vector<cv::Mat> resized(static_cast<std::size_t>(planes.rows));
  for (int k = 0; k < planes.rows; ++k) {
    cv::Mat& plane = resized[static_cast<std::size_t>(k)];
    cv::resize(planes.row(k).reshape(1, grid.height), plane, size, 0, 0, cv::INTER_LINEAR);
    if (k == 0) {
      best = plane.clone();
      continue;
    }
    labels.setTo(k, plane > best);
    cv::max(best, plane, best);
  }
  if (sure == nullptr) return labels;
  cv::Mat sum(size, CV_32F, cv::Scalar(0)), share;
  for (const cv::Mat& plane : resized) {
    cv::exp(plane - best, share);
    sum += share;
  }
  *sure = cv::mean(1 / sum)[0];
  return labels;
}

std::size_t partsOf(std::size_t frames) {
  return frames < 2 ? 0 : frames < kMany ? std::min(frames, kMostParts) : kPartsOfMany;
}

std::optional<double> usuallySure(const std::vector<double>& sure) {
  if (sure.size() < kLeastJudged) return {};
  const double least = *std::min_element(sure.begin(), sure.end());
  const double mean =
      std::accumulate(sure.begin(), sure.end(), 0.0) / static_cast<double>(sure.size());
  return least - (mean - least) / 2;
}

CrossValidation::CrossValidation(const std::vector<Judged>& frames, const cv::Size& grid,
                                 int classes, Curvature& curvature, const Kept& kept,
                                 std::string key)
    : frames_(frames),
      grid_(grid),
      classes_(classes),
      parts_(partsOf(frames.size())),
      curvature_(curvature),
      kept_(kept),
      key_(std::move(key)),
      last_(parts_) {}

std::string bytesOf(const Manner& manner) {
  std::string facts;
  pack(facts, &manner.decay, 1);
  pack(facts, &manner.balance, 1);
  pack(facts, &manner.idle, 1);
  return facts;
}

Judgement CrossValidation::judge(const Manner& manner,
                                 const std::function<void(double heads)>& learned) {
  Judgement judgement{evaluate::Confusion(static_cast<std::size_t>(classes_)),
                      std::vector<double>(frames_.size(), 0)};
  key_ = keyOf(
      {key_, "judged, and how sure", bytesOf(manner)});  // of those before it, too: it begins there
  if (const auto bytes = kept_.find(key_); bytes && unpackLast(*bytes, judgement)) {
    learned(static_cast<double>(parts_));
    return judgement;
  }
  for (std::size_t part = 0; part < parts_; ++part) {
    judgePart(part, manner, learned, judgement);
    learned(static_cast<double>(part + 1));
  }
  kept_.put(key_, packedLast(judgement));
  return judgement;
}

void CrossValidation::judgePart(std::size_t part, const Manner& manner,
                                const std::function<void(double)>& learned, Judgement& judgement) {
  Examples others;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (partOf(i, parts_) != part) others.push_back(&frames_[i].example);
  }
  const Loss loss(std::move(others), classes_, manner);
  std::vector<double>& x = last_[part];
  x.resize(loss.size(), 0);
  int tried = 0;
  const auto objective = [&](const auto& at, auto& gradient) {
    learned(static_cast<double>(part) + std::min(1.0, static_cast<double>(tried++) / kSteps));
    return loss.at(at, gradient);
  };
  x = minimise(objective, std::move(x), kSteps, kTolerance, curvature_.preconditionerOf(manner)).x;
  const Head head = loss.headOf(x);
  for (std::size_t i = part; i < frames_.size(); i += parts_) {
    const Judged& frame = frames_[i];
    judgement.confusion.add(frame.truth, labelsOf(head.scores(frame.example.features), grid_,
                                                  frame.truth.size(), &judgement.sure[i]));
  }
}

std::string CrossValidation::packedLast(const Judgement& judgement) const {
  std::string bytes;
  for (const std::vector<double>& x : last_) {
    const auto size = static_cast<std::uint64_t>(x.size());
    pack(bytes, &size, 1);
    pack(bytes, x.data(), x.size());
  }
  pack(bytes, judgement.sure.data(), judgement.sure.size());
  for (const evaluate::Count& count : judgement.confusion.counts()) pack(bytes, &count, 1);
  return bytes;
}

// Returns false and changes nothing if the bytes do not come from packedLast().
bool CrossValidation::unpackLast(std::string_view bytes, Judgement& judgement) {
  std::vector<std::vector<double>> last(parts_);
  for (std::vector<double>& x : last) {
    std::uint64_t size = 0;
    if (!unpack(bytes, &size, 1) || size > bytes.size() / sizeof(double)) return false;
    x.resize(size);
    unpack(bytes, x.data(), x.size());
  }
  std::vector<double> sure(frames_.size());
  if (!unpack(bytes, sure.data(), sure.size())) return false;
  const std::size_t counts = bytes.size() / sizeof(evaluate::Count);
  if (bytes.size() != counts * sizeof(evaluate::Count)) return false;
  for (evaluate::Count count; unpack(bytes, &count, 1);) judgement.confusion.add(count);
  judgement.sure = std::move(sure);
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
