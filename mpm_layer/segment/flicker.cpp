// SPDX-License-Identifier: Apache-2.0
#include "mpm/flicker.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <utility>

#include "segment/edge.h"

namespace mpm {
namespace {

constexpr int kLongestSide = 1024, kAround = 15;
constexpr double kChanged = 4;  // grey values of 255

cv::Mat greyOf(const cv::Mat& frame) {
  cv::Mat grey = frame;
  if (frame.channels() == 3) cv::cvtColor(frame, grey, cv::COLOR_BGR2GRAY);
  if (frame.channels() == 4) cv::cvtColor(frame, grey, cv::COLOR_BGRA2GRAY);
  const int shrunk = (std::max(frame.cols, frame.rows) + kLongestSide - 1) / kLongestSide;
  if (shrunk > 1) {
    const cv::Size size(std::max(1, frame.cols / shrunk), std::max(1, frame.rows / shrunk));
    cv::resize(grey, grey, size, 0, 0, cv::INTER_AREA);
  }
  cv::Mat smooth;  // of its own: a grey frame is the caller's
  cv::blur(grey, smooth, {3, 3});
  return smooth;
}

bool areAlike(const cv::Mat& one, const cv::Mat& other) {
  return one.size() == other.size() && one.type() == other.type();
}

// Returns the commonest label among the first `count` of `given`; in a tie `shown`.
template <typename Label>
Label mostOf(const std::array<Label, LabelVote::kFrames>& given, std::size_t count, Label shown) {
  const auto end = given.begin() + static_cast<std::ptrdiff_t>(count);
  Label best = shown;
  auto most = std::count(given.begin(), end, shown);
  for (auto label = given.begin(); label != end; ++label) {
    const auto votes = std::count(given.begin(), end, *label);
    if (votes > most) best = *label, most = votes;
  }
  return best;
}

// Updates `shown` from the last frame to this one by a vote. `given` has the newest frame first.
template <typename Label>
void vote(const std::array<const cv::Mat*, LabelVote::kFrames>& given, const cv::Mat& still,
          cv::Mat& votes, cv::Mat& shown) {
  for (int y = 0; y < shown.rows; ++y) {
    std::array<const Label*, LabelVote::kFrames> rows{};
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = given[i]->ptr<Label>(y);
    const auto* stands = still.ptr<std::uint8_t>(y);
    auto* count = votes.ptr<std::uint8_t>(y);
    auto* label = shown.ptr<Label>(y);
    for (int x = 0; x < shown.cols; ++x) {
      const int known = stands[x] == 0 ? 0 : count[x];
      count[x] = static_cast<std::uint8_t>(std::min<int>(known + 1, LabelVote::kFrames));
      std::array<Label, LabelVote::kFrames> labels{};
      for (std::size_t i = 0; i < count[x]; ++i) labels[i] = rows[i][x];
      label[x] = known == 0 ? labels[0] : mostOf(labels, count[x], label[x]);
    }
  }
}

}  // namespace

const cv::Mat& StillPlaces::look(const cv::Mat& frame) {
  segment::checkFrame(frame);
  cv::Mat grey = greyOf(frame);
  const bool isFirst = !areAlike(grey, before_) || still_.size() != frame.size();
  if (isFirst) {
    still_ = cv::Mat::zeros(frame.size(), CV_8U);
  } else {
    cv::Mat apart;
    cv::absdiff(grey, before_, apart);
    cv::dilate(apart, apart, cv::Mat::ones(kAround, kAround, CV_8U));
    cv::compare(apart, kChanged, apart, cv::CMP_LT);
    cv::resize(apart, still_, frame.size(), 0, 0, cv::INTER_NEAREST);
  }
  before_ = std::move(grey);
  return still_;
}

void Flicker::add(const cv::Mat& stands, const cv::Mat& before, const cv::Mat& labels) {
  if (before.empty() || !areAlike(before, labels) || stands.size() != labels.size()) return;
  still += cv::countNonZero(stands);
  changed += cv::countNonZero((before != labels) & stands);
}

std::optional<double> Flicker::share() const {
  if (still <= 0) return std::nullopt;
  return changed / still;
}

cv::Mat LabelVote::update(const cv::Mat& still, const cv::Mat& labels) {
  if (labels.empty() || (labels.type() != CV_8U && labels.type() != CV_16U) ||
      still.type() != CV_8U || still.size() != labels.size()) {
    throw std::invalid_argument(
        "a vote takes labels of 8 or 16 bits and, of the same size, where the picture stands "
        "still");
  }
  if (!areAlike(shown_, labels)) {
    given_.resize(kFrames);
    for (cv::Mat& given : given_) labels.copyTo(given = cv::Mat());
    votes_ = cv::Mat::zeros(labels.size(), CV_8U);
    shown_ = labels.clone();
  }
  newest_ = (newest_ + 1) % kFrames;
  labels.copyTo(given_[newest_]);
  std::array<const cv::Mat*, kFrames> given{};
  for (std::size_t i = 0; i < kFrames; ++i) given[i] = &given_[(newest_ + kFrames - i) % kFrames];
  if (labels.type() == CV_8U) {
    vote<std::uint8_t>(given, still, votes_, shown_);
  } else {
    vote<std::uint16_t>(given, still, votes_, shown_);
  }
  return shown_.clone();
}

}  // namespace mpm
