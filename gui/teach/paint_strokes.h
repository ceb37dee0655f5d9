// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QPointF>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR >= 5
#include <opencv2/geometry.hpp>  // which was part of imgproc
#endif
#include <vector>

#include "mpm/teach.h"

/// Operations of tools on an annotation, CV_8U, and their undoing. Positions are relative to the
/// frame, from (0, 0) to (1, 1).
namespace mpm::gui {

/// Returns the pixel at a position, also outside the frame.
inline cv::Point pixelAt(QPointF place, cv::Size size) {
  return {cvFloor(place.x() * size.width), cvFloor(place.y() * size.height)};
}

/// Draws a line of this width in pixels, one more if even, with round ends, between the middles of
/// two pixels. Each pixel becomes `valueAt` (row, column). Returns its bounds.
template <typename ValueAt>
cv::Rect paintAlong(cv::Mat& labels, QPointF from, QPointF to, int width, const ValueAt& valueAt) {
  const cv::Point begin = pixelAt(from, labels.size()), end = pixelAt(to, labels.size());
  const int reach = width / 2;
  const cv::Point first(std::min(begin.x, end.x) - reach, std::min(begin.y, end.y) - reach);
  const cv::Point last(std::max(begin.x, end.x) + reach, std::max(begin.y, end.y) + reach);
  const cv::Rect area = cv::Rect(first, last + cv::Point(1, 1)) & cv::Rect({}, labels.size());
  const cv::Point2d along = end - begin;
  const double length2 = std::max(1.0, along.dot(along)), most = width * width / 4.0;
  for (int y = area.y; y < area.br().y; ++y) {
    auto* row = labels.ptr<std::uint8_t>(y);
    for (int x = area.x; x < area.br().x; ++x) {
      const cv::Point2d off = cv::Point(x, y) - begin;
      const cv::Point2d across = off - along * std::clamp(off.dot(along) / length2, 0.0, 1.0);
      if (across.dot(across) <= most) row[x] = static_cast<std::uint8_t>(valueAt(y, x));
    }
  }
  return area;
}

inline cv::Rect paintLine(cv::Mat& labels, QPointF from, QPointF to, int width, int value) {
  return paintAlong(labels, from, to, width, [value](int, int) { return value; });
}

/// Paints each pixel as `found`, of the same size, has it; where that is kUnpainted the annotation
/// stays.
inline cv::Rect paintFound(cv::Mat& labels, const cv::Mat& found, QPointF from, QPointF to,
                           int width) {
  return paintAlong(labels, from, to, width, [&](int y, int x) {
    const int value = found.at<std::uint8_t>(y, x);
    return value == kUnpainted ? labels.at<std::uint8_t>(y, x) : value;
  });
}

inline void paintPolygon(cv::Mat& labels, const std::vector<QPointF>& corners, int value) {
  std::vector<cv::Point> points;
  for (const QPointF& corner : corners) points.push_back(pixelAt(corner, labels.size()));
  if (points.size() >= 3) cv::fillPoly(labels, std::vector{points}, cv::Scalar(value));
}

/// Fills unpainted pixels from `found`.
inline void paintRest(cv::Mat& labels, const cv::Mat& found) {
  found.copyTo(labels, labels == kUnpainted);
}

/// Returns where two frames of a fixed camera differ, CV_8U, with a rim. A change of light is
/// evened out, and only differences above that of most places count.
inline cv::Mat movedBetween(const cv::Mat& before, const cv::Mat& now) {
  constexpr int kNoise = 24, kTimes = 3;  // of 255; of the usual
  constexpr double kPixels = 60'000;      // that are looked at
  const double shrink = std::min(1.0, std::sqrt(kPixels / static_cast<double>(now.total())));
  cv::Mat one, other, off, most;
  cv::resize(before, one, {}, shrink, shrink, cv::INTER_AREA);
  cv::resize(now, other, {}, shrink, shrink, cv::INTER_AREA);
  cv::blur(one, one, {3, 3});
  cv::blur(other, other, {3, 3});
  const cv::Scalar was = cv::mean(one), is = cv::mean(other);
  cv::Scalar gain;
  for (int channel = 0; channel < 3; ++channel)
    gain[channel] = is[channel] / std::max(1.0, was[channel]);
  cv::multiply(one, gain, one);
  cv::absdiff(one, other, off);
  cv::reduce(off.reshape(1, static_cast<int>(off.total())), most, 1, cv::REDUCE_MAX);
  std::vector<std::uint8_t> sorted(most.begin<std::uint8_t>(), most.end<std::uint8_t>());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  cv::Mat moved = most.reshape(1, off.rows) > kNoise + kTimes * *middle;
  cv::medianBlur(moved, moved, 5);
  cv::dilate(moved, moved, cv::getStructuringElement(cv::MORPH_ELLIPSE, {5, 5}));
  cv::resize(moved, moved, now.size(), 0, 0, cv::INTER_NEAREST);
  return moved;
}

/// Unlimited history of one annotation, CV_8U. For each step it stores the exclusive or of the
/// changed part before and after, compressed, which leads both ways.
class PaintHistory {
 public:
  /// Adds a step. Returns false, and keeps nothing, if both are the same; else undone steps are
  /// dropped.
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

  /// Returns false if there is nothing to undo.
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
