// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/outline.h"

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

Outline roundBox(double left, double top, double right, double bottom, double radius) {
  radius = std::min({radius, (right - left) / 2, (bottom - top) / 2});
  Outline outline;
  const int points = std::clamp(static_cast<int>(radius), 3, 10);
  addArc(outline, {right - radius, top + radius}, radius, -CV_PI / 2, 0, points);
  addArc(outline, {right - radius, bottom - radius}, radius, 0, CV_PI / 2, points);
  addArc(outline, {left + radius, bottom - radius}, radius, CV_PI / 2, CV_PI, points);
  addArc(outline, {left + radius, top + radius}, radius, CV_PI, 3 * CV_PI / 2, points);
  return outline;
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

}  // namespace mpm::scenes
