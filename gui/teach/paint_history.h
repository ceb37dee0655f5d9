// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR >= 5
#include <opencv2/geometry.hpp>  // which was part of imgproc
#endif
#include <vector>

namespace mpm::gui {

/// What was done to one painting, CV_8U, without end: of each step the part that it changed, before
/// exclusive or behind, compressed, which leads both ways.
class PaintHistory {
 public:
  /// Between what was and what is. False, and nothing is kept, where they are the same; else what
  /// was undone is forgotten.
  bool add(const cv::Mat& before, const cv::Mat& behind) {
    const cv::Mat other = before != behind;
    const cv::Rect area = cv::boundingRect(other);
    if (area.empty()) return false;
    cv::Mat delta;
    cv::bitwise_xor(before(area), behind(area), delta);
    steps_.resize(done_);
    steps_.push_back({area, qCompress(delta.data, static_cast<qsizetype>(delta.total()), 1)});
    ++done_;
    return true;
  }

  bool canUndo() const { return done_ > 0; }
  bool canRedo() const { return done_ < steps_.size(); }

  /// False where there is nothing to undo.
  bool undo(cv::Mat& labels) {
    if (!canUndo()) return false;
    apply(steps_[--done_], labels);
    return true;
  }
  bool redo(cv::Mat& labels) {
    if (!canRedo()) return false;
    apply(steps_[done_++], labels);
    return true;
  }

 private:
  struct Step {
    cv::Rect area;
    QByteArray delta;
  };

  static void apply(const Step& step, cv::Mat& labels) {
    QByteArray bytes = qUncompress(step.delta);
    const cv::Mat delta(step.area.size(), CV_8U, bytes.data());
    cv::Mat part = labels(step.area);
    cv::bitwise_xor(part, delta, part);
  }

  std::vector<Step> steps_;
  std::size_t done_ = 0;
};

}  // namespace mpm::gui
