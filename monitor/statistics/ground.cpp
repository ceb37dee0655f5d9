// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/ground.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

namespace mpm::monitor {
namespace {

using Points = std::array<cv::Point2d, 4>;

constexpr double kLeastSine = 0.02;  // of each corner's angle: about one degree
constexpr double kMostMetres = 1e6;

// The sine of the angle at each corner: their signs agree where the points go around.
std::array<double, 4> sinesOf(const Points& points) {
  std::array<double, 4> sines{};
  for (std::size_t i = 0; i < 4; ++i) {
    const cv::Point2d in = points[(i + 1) % 4] - points[i];
    const cv::Point2d out = points[(i + 2) % 4] - points[(i + 1) % 4];
    const double lengths = cv::norm(in) * cv::norm(out);
    sines[i] = lengths > 0 ? in.cross(out) / lengths : 0;
  }
  return sines;
}

void checkCorners(const Points& points, const std::string& where) {
  const std::array<double, 4> sines = sinesOf(points);
  for (const double sine : sines) {
    if (std::abs(sine) >= kLeastSine) continue;
    throw std::invalid_argument("three of the ground's four points lie on a line " + where +
                                ", or nearly; take the corners of an area");
  }
  const bool isPositive = sines[0] > 0;
  if (std::any_of(sines.begin(), sines.end(),
                  [&](double sine) { return (sine > 0) != isPositive; })) {
    throw std::invalid_argument("the ground's four points do not go around an area " + where +
                                "; give them in order around it, in the picture and in metres");
  }
}

// The plane's matrix: eight equations, its last number is 1.
cv::Matx33d homography(const Ground& ground) {
  cv::Matx<double, 8, 8> left = cv::Matx<double, 8, 8>::zeros();
  cv::Vec<double, 8> right, found;
  for (int i = 0; i < 4; ++i) {
    const cv::Point2d &p = ground.points[static_cast<std::size_t>(i)],
                      &m = ground.metres[static_cast<std::size_t>(i)];
    for (int axis = 0; axis < 2; ++axis) {
      const int row = 2 * i + axis;
      const double value = axis == 0 ? m.x : m.y;
      left(row, 3 * axis) = p.x, left(row, 3 * axis + 1) = p.y, left(row, 3 * axis + 2) = 1;
      left(row, 6) = -p.x * value, left(row, 7) = -p.y * value;
      right[row] = value;
    }
  }
  cv::solve(left, right, found, cv::DECOMP_SVD);
  return {found[0], found[1], found[2], found[3], found[4], found[5], found[6], found[7], 1};
}

}  // namespace

GroundPlane::GroundPlane(const Ground& ground) : toMetres_(homography(ground)) {
  // Above 0 where the ground is.
  if (nearnessAt(ground.points[0]) < 0) toMetres_ = toMetres_ * -1.0;
  determinant_ = std::abs(cv::determinant(toMetres_));
  farthest_ = std::numeric_limits<double>::infinity();
  for (const cv::Point2d& point : ground.points) farthest_ = std::min(farthest_, nearnessAt(point));
}

double GroundPlane::nearnessAt(const cv::Point2d& place) const {
  return toMetres_(2, 0) * place.x + toMetres_(2, 1) * place.y + toMetres_(2, 2);
}

double GroundPlane::depthAt(const cv::Point2d& place) const {
  return farthest_ / nearnessAt(place);
}

double GroundPlane::scaleAt(const cv::Point2d& place) const {
  const double nearness = nearnessAt(place);
  return determinant_ / (nearness * nearness * nearness);
}

void checkGround(const Ground& ground) {
  for (const cv::Point2d& point : ground.points) {
    if (point.x >= 0 && point.x <= 1 && point.y >= 0 && point.y <= 1) continue;
    throw std::invalid_argument(
        cv::format("the ground has a point at (%g, %g); points are from (0, 0), top left, to "
                   "(1, 1), bottom right",
                   point.x, point.y));
  }
  for (const cv::Point2d& point : ground.metres) {
    if (std::abs(point.x) <= kMostMetres && std::abs(point.y) <= kMostMetres) continue;
    throw std::invalid_argument(
        "the ground has a point that lies farther away than 1000 km; "
        "write metres");
  }
  checkCorners(ground.points, "in the picture");
  checkCorners(ground.metres, "in metres");
}

void checkOnGround(const Zone& zone, const Ground& ground) {
  const GroundPlane plane(ground);
  for (const cv::Point2d& corner : zone.corners) {
    const double depth = plane.depthAt(corner);
    if (depth > 0 && depth <= kMostDepth) continue;
    throw std::invalid_argument(
        "zone '" + zone.name + "' " +
        (depth > 0 && depth < 1e3
             ? cv::format("reaches %.1f times as far as the farthest of the ground's points", depth)
             : std::string("reaches the horizon or beyond")) +
        cv::format("; its square metres are only known up to %g times: lower its upper edge, or "
                   "take points that are farther away",
                   kMostDepth));
  }
}

GroundAreas::GroundAreas(const Ground& ground, const std::vector<Zone>& zones, int classes)
    : classes_(classes) {
  checkGround(ground);
  for (const Zone& zone : zones) {
    if (zone.onGround) checkOnGround(zone, ground);
  }
  place(ground, zones);
}

void GroundAreas::place(const Ground& ground, const std::vector<Zone>& zones) {
  ground_ = ground;
  zones_.clear();
  std::copy_if(zones.begin(), zones.end(), std::back_inserter(zones_),
               [](const Zone& zone) { return zone.onGround; });
  size_ = {};
}

void GroundAreas::divide(const cv::Size& size) {
  size_ = size;
  spans_.assign(1, spansOf({ground_.points.begin(), ground_.points.end()}, size));
  for (const Zone& zone : zones_) spans_.push_back(spansOf(zone.corners, size));
  scale_.create(size, CV_32F);
  const GroundPlane plane(ground_);
  const double pixel = 1.0 / size.width / size.height;
  for (const std::vector<RowSpan>& spans : spans_) {
    for (const RowSpan& span : spans) {
      for (int x = span.begin; x < span.end; ++x) {
        const cv::Point2d place((x + 0.5) / size.width, (span.row + 0.5) / size.height);
        scale_.at<float>(span.row, x) = static_cast<float>(plane.scaleAt(place) * pixel);
      }
    }
  }
}

template <typename Label>
void GroundAreas::count(const cv::Mat& labels) {
  const auto classes = static_cast<std::size_t>(classes_);
  for (std::size_t part = 0; part < spans_.size(); ++part) {
    double* areas = &areas_[part * classes];
    if (spans_[part].empty()) std::fill_n(areas, classes, std::nan(""));
    for (const RowSpan& span : spans_[part]) {
      const auto* label = labels.ptr<Label>(span.row);
      const auto* scale = scale_.ptr<float>(span.row);
      for (int x = span.begin; x < span.end; ++x) {
        if (label[x] < classes) areas[label[x]] += static_cast<double>(scale[x]);
      }
    }
  }
}

const std::vector<double>& GroundAreas::measure(const cv::Mat& labels) {
  if (labels.empty() || (labels.type() != CV_8UC1 && labels.type() != CV_16UC1)) {
    throw std::invalid_argument(
        "square metres are measured on labels of 8 or 16 bits without a "
        "sign");
  }
  if (labels.size() != size_) divide(labels.size());
  areas_.assign(spans_.size() * static_cast<std::size_t>(classes_), 0);
  if (labels.depth() == CV_8U) {
    count<std::uint8_t>(labels);
  } else {
    count<std::uint16_t>(labels);
  }
  return areas_;
}

}  // namespace mpm::monitor
