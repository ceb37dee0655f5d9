// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/brush.h"

#include <algorithm>
#include <cmath>

namespace mpm::scenes {
namespace {

void addArc(Outline& outline, cv::Point2d centre, double radius, double from, double to,
            int points) {
  for (int i = 0; i < points; ++i) {
    const double angle = from + (to - from) * i / (points - 1);
    outline.emplace_back(centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle));
  }
}

int pointsFor(double radius) { return std::clamp(static_cast<int>(6 + 1.2 * radius), 8, 64); }

}  // namespace

Outline ellipse(cv::Point2d centre, double radiusX, double radiusY, int points) {
  if (points == 0) points = pointsFor(std::max(radiusX, radiusY));
  Outline outline;
  outline.reserve(static_cast<std::size_t>(points));
  for (int i = 0; i < points; ++i) {
    const double angle = 2 * CV_PI * i / points;
    outline.emplace_back(centre.x + radiusX * std::cos(angle),
                         centre.y + radiusY * std::sin(angle));
  }
  return outline;
}

Outline stroke(cv::Point2d from, cv::Point2d to, double fromWidth, double toWidth) {
  const double along = std::atan2(to.y - from.y, to.x - from.x);
  Outline outline;
  const int points = std::clamp(static_cast<int>(3 + 0.5 * std::max(fromWidth, toWidth)), 4, 12);
  outline.reserve(2 * static_cast<std::size_t>(points));
  addArc(outline, to, toWidth / 2, along - CV_PI / 2, along + CV_PI / 2, points);
  addArc(outline, from, fromWidth / 2, along + CV_PI / 2, along + 3 * CV_PI / 2, points);
  return outline;
}

Outline box(double left, double top, double right, double bottom) {
  return {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
}

Outline smooth(const Outline& corners, int steps) {
  Outline outline;
  const std::size_t n = corners.size();
  outline.reserve(n * static_cast<std::size_t>(steps));
  for (std::size_t i = 0; i < n; ++i) {
    const cv::Point2d &a = corners[(i + n - 1) % n], &b = corners[i], &c = corners[(i + 1) % n],
                      &d = corners[(i + 2) % n];
    for (int step = 0; step < steps; ++step) {
      const double t = static_cast<double>(step) / steps;
      outline.push_back(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * (t * t) +
                               (3 * b - a - 3 * c + d) * (t * t * t)));
    }
  }
  return outline;
}

bool Coverage::cover(const Outline& outline, const cv::Rect& clip) {
  if (outline.size() < 3) return false;
  double left = outline[0].x, right = left, top = outline[0].y, bottom = top;
  for (const cv::Point2d& p : outline) {
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  left = std::max<double>(left, clip.x), right = std::min<double>(right, clip.x + clip.width);
  top = std::max<double>(top, clip.y), bottom = std::min<double>(bottom, clip.y + clip.height);
  if (!(left < right && top < bottom)) return false;
  const int x = cvFloor(left), y = cvFloor(top);
  area_ = {x, y, cvCeil(right) - x, cvCeil(bottom) - y};
  // Each row has one more entry for what lies right of the area.
  const std::size_t stride = static_cast<std::size_t>(area_.width) + 2;
  steps_.assign(stride * area_.height, 0.0F);
  shares_.resize(static_cast<std::size_t>(area_.width) * area_.height);
  for (std::size_t i = 0; i < outline.size(); ++i) {
    addEdge(outline[i], outline[i + 1 == outline.size() ? 0 : i + 1]);
  }
  for (int row = 0; row < area_.height; ++row) {
    const float* step = steps_.data() + stride * row;
    std::uint8_t* share = shares_.data() + static_cast<std::size_t>(area_.width) * row;
    float sum = 0;
    for (int column = 0; column < area_.width; ++column) {
      sum += step[column];
      share[column] = static_cast<std::uint8_t>(std::min(std::abs(sum), 1.0F) * 255.0F + 0.5F);
    }
  }
  return true;
}

void Coverage::addEdge(cv::Point2d from, cv::Point2d to) {
  const double sign = from.y < to.y ? 1 : -1;
  if (from.y > to.y) std::swap(from, to);
  from -= cv::Point2d(area_.tl()), to -= cv::Point2d(area_.tl());
  const double top = std::max(from.y, 0.0), bottom = std::min<double>(to.y, area_.height);
  if (!(top < bottom)) return;
  const double slope = (to.x - from.x) / (to.y - from.y);
  const std::size_t stride = static_cast<std::size_t>(area_.width) + 2;
  double x = from.x + (top - from.y) * slope;
  for (int row = static_cast<int>(top); row < area_.height && row < bottom; ++row) {
    const double height = std::min<double>(row + 1, bottom) - std::max<double>(row, top);
    const double next = x + slope * height;
    addSlice(steps_.data() + stride * row, std::min(x, next), std::max(x, next), sign * height);
    x = next;
  }
}

// Adds an edge from `left` to `right` within a row: it covers everything right of it by `height`.
void Coverage::addSlice(float* row, double left, double right, double height) const {
  const double width = right - left;
  if (left >= area_.width) return;
  if (right > area_.width) {  // the part beyond covers nothing that is looked at
    height *= (area_.width - left) / width;
    right = area_.width;
  }
  if (right <= 0) {
    row[0] += static_cast<float>(height);
    return;
  }
  if (left < 0) {  // the part before covers every column
    const double before = height * -left / (right - left);
    row[0] += static_cast<float>(before);
    height -= before;
    left = 0;
  }
  const int first = static_cast<int>(left), last = static_cast<int>(right);
  if (first == last) {
    const double inside = height * (1 - ((left + right) / 2 - first));
    row[first] += static_cast<float>(inside);
    row[first + 1] += static_cast<float>(height - inside);
    return;
  }
  const double slope = height / (right - left);  // of what is covered, from column to column
  double before = 0;
  for (int column = first; column <= last; ++column) {
    const double a = std::max<double>(left, column), b = std::min<double>(right, column + 1);
    const double share = (b - a) * slope;
    const double inside = share * (1 - ((a + b) / 2 - column));
    row[column] += static_cast<float>(inside + before);
    before = share - inside;
  }
  row[last + 1] += static_cast<float>(before);
}

void Brush::aim(const cv::Mat& picture, const cv::Mat& labels, const cv::Mat& materials) {
  picture_ = picture, labels_ = labels, materials_ = materials;
  whole_ = {{0, 0}, picture.size()};
  if (object_.size() != picture.size()) object_ = cv::Mat::zeros(picture.size(), CV_8U);
}

void Brush::begin(Class what) {
  class_ = what;
  inObject_ = true;
  touched_ = {};
}

void Brush::end() {
  inObject_ = false;
  for (int y = touched_.y; y < touched_.y + touched_.height; ++y) {
    std::uint8_t* object = object_.ptr(y);
    std::uint8_t* label = labels_.ptr(y);
    for (int x = touched_.x; x < touched_.x + touched_.width; ++x) {
      if (object[x] >= 128) label[x] = static_cast<std::uint8_t>(class_);
      object[x] = 0;
    }
  }
}

void Brush::fill(const Outline& outline, const Colour& colour, double opacity) {
  if (!coverage_.cover(outline, whole_)) return;
  cv::Vec4b value(0, 0, 0, 255);
  for (int c = 0; c < 3; ++c) {
    value[c] = static_cast<std::uint8_t>(cvRound(std::clamp(colour[c], 0.0, 1.0) * 255));
  }
  const cv::Rect& area = coverage_.area();
  const int whole = cvRound(opacity * 256);
  for (int y = area.y; y < area.y + area.height; ++y) {
    fillRow(y, coverage_.row(y), area, value, whole);
  }
  if (inObject_) touched_ |= area;
}

void Brush::fillRow(int y, const std::uint8_t* shares, const cv::Rect& area, const cv::Vec4b& full,
                    int opacity) {
  cv::Vec4b* pixel = picture_.ptr<cv::Vec4b>(y) + area.x;
  std::uint8_t* object = inObject_ ? object_.ptr(y) + area.x : nullptr;
  std::uint16_t* material =
      materials_.empty() ? nullptr : materials_.ptr<std::uint16_t>(y) + area.x;
  for (int x = 0; x < area.width; ++x) {
    const int share = shares[x] * opacity >> 8;
    if (share == 0) continue;
    if (material && (share >= 128 || pixel[x][3] == 0)) material[x] = material_;
    if (share == 255) {
      pixel[x] = full;
    } else {
      for (int c = 0; c < 4; ++c) {  // + 128, * 257 >> 16: a division by 255, rounded
        const int sum = pixel[x][c] * (255 - share) + full[c] * share + 128;
        pixel[x][c] = static_cast<std::uint8_t>(sum * 257 >> 16);
      }
    }
    if (object) object[x] = over(object[x], share);
  }
}

}  // namespace mpm::scenes
