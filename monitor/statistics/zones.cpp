// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/zones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "monitor/statistics/metrics.h"

namespace mpm::monitor {
namespace {

// Neighbours mostly have the same label: each counts in a lane of its own, so that no count waits
// for the one before.
constexpr std::size_t kLanes = 4;

template <typename Label>
void countRow(const Label* labels, std::size_t length, std::uint32_t classes,
              std::uint32_t* counts) {
  const auto cell = [&](std::size_t i) {
    return std::min<std::uint32_t>(labels[i], classes) * kLanes;
  };
  std::size_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) ++counts[cell(i + lane) + lane];
  }
  for (; i < length; ++i) ++counts[cell(i)];
}

constexpr double kLeastArea = 1e-9;  // of the picture

void refuse(const Zone& zone, const std::string& what) {
  throw std::invalid_argument("zone '" + zone.name + "' " + what);
}

}  // namespace

void crossingsAt(const std::vector<cv::Point2d>& corners, double y, std::vector<double>& places) {
  places.clear();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    cv::Point2d upper = corners[i], lower = corners[(i + 1) % corners.size()];
    if (lower.y < upper.y) std::swap(upper, lower);
    if (upper.y > y || lower.y <= y) continue;
    const double share = (y - upper.y) / (lower.y - upper.y);
    places.push_back(upper.x + (lower.x - upper.x) * share);
  }
  std::sort(places.begin(), places.end());
}

bool hasArea(const std::vector<cv::Point2d>& corners) {
  std::vector<double> heights, places;
  for (const cv::Point2d& corner : corners) heights.push_back(corner.y);
  std::sort(heights.begin(), heights.end());
  double area = 0;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    const double height = heights[i] - heights[i - 1];
    if (height <= 0) continue;
    // Edges that cross each other do so at one height, and not at all of these.
    for (const double share : {0.21, 0.5, 0.83}) {
      crossingsAt(corners, heights[i - 1] + share * height, places);
      for (std::size_t k = 1; k < places.size(); k += 2) {
        area += height * (places[k] - places[k - 1]) / 3;
      }
    }
  }
  return area > kLeastArea;
}

int firstColumn(double x, int width) {
  const auto centre = [&](int column) { return (column + 0.5) / width; };
  int column = std::clamp(static_cast<int>(std::ceil(x * width - 0.5)), 0, width);
  while (column > 0 && centre(column - 1) >= x) --column;
  while (column < width && centre(column) < x) ++column;
  return column;
}

std::vector<RowSpan> spansOf(const std::vector<cv::Point2d>& corners, const cv::Size& size) {
  std::vector<RowSpan> spans;
  std::vector<double> places;
  for (int row = 0; row < size.height; ++row) {
    crossingsAt(corners, (row + 0.5) / size.height, places);
    for (std::size_t i = 1; i < places.size(); i += 2) {
      const int begin = firstColumn(places[i - 1], size.width);
      const int end = firstColumn(places[i], size.width);
      if (begin < end) spans.push_back({row, begin, end});
    }
  }
  return spans;
}

void checkZones(const std::vector<Zone>& zones) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const Zone& zone = zones[i];
    if (zone.name.empty()) {
      throw std::invalid_argument("zone " + std::to_string(i + 1) + " has no name; give it one");
    }
    if (!names.insert(metricPart(zone.name)).second) {
      refuse(zone,
             "has the name of another one, or differs from it only in characters that are not "
             "letters, digits, '_' or '-'; give it its own name");
    }
    if (zone.corners.size() < 3) {
      refuse(zone, "has " + std::to_string(zone.corners.size()) + " corners; it needs 3 or more");
    }
    for (const cv::Point2d& corner : zone.corners) {
      if (corner.x >= 0 && corner.x <= 1 && corner.y >= 0 && corner.y <= 1) continue;
      refuse(zone, cv::format("has a corner at (%g, %g); corners are from (0, 0), top left, to "
                              "(1, 1), bottom right",
                              corner.x, corner.y));
    }
    if (!hasArea(zone.corners)) refuse(zone, "has no area; its corners must enclose one");
  }
}

ClassAreas::ClassAreas(std::vector<Zone> zones, int classes)
    : zones_(std::move(zones)), classes_(classes) {
  checkZones(zones_);
  if (classes < 1) throw std::invalid_argument("areas need one class or more to be measured");
}

void ClassAreas::place(std::vector<Zone> zones) {
  zones_ = std::move(zones);
  size_ = {};
}

const std::vector<double>& ClassAreas::measure(const cv::Mat& labels) {
  if (labels.empty() || (labels.type() != CV_8UC1 && labels.type() != CV_16UC1)) {
    throw std::invalid_argument("areas are measured on labels of 8 or 16 bits without a sign");
  }
  if (labels.size() != size_) divide(labels.size());
  std::fill(counts_.begin(), counts_.end(), 0);
  if (labels.depth() == CV_8U) {
    count<std::uint8_t>(labels);
  } else {
    count<std::uint16_t>(labels);
  }
  const auto classes = static_cast<std::size_t>(classes_);
  shares_.resize(classes * (1 + zones_.size()));
  for (std::size_t zone = 0; zone <= zones_.size(); ++zone) share(zone, &shares_[zone * classes]);
  return shares_;
}

template <typename Label>
void ClassAreas::count(const cv::Mat& labels) {
  const auto classes = static_cast<std::uint32_t>(classes_);
  for (const Span& span : spans_) {
    countRow(labels.ptr<Label>(span.row) + span.begin,
             static_cast<std::size_t>(span.end - span.begin), classes,
             &counts_[span.part * (classes + 1) * kLanes]);
  }
}

// `zone`: 0 is the picture.
void ClassAreas::share(std::size_t zone, double* shares) const {
  const auto classes = static_cast<std::size_t>(classes_);
  std::fill_n(shares, classes, 0.0);
  std::size_t pixels = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (zone > 0 && !parts_[part].zones[zone - 1]) continue;
    pixels += parts_[part].pixels;
    const std::uint32_t* counts = &counts_[part * (classes + 1) * kLanes];
    for (std::size_t label = 0; label < classes; ++label) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) shares[label] += *counts++;
    }
  }
  const double whole =
      pixels > 0 ? static_cast<double>(pixels) : std::numeric_limits<double>::quiet_NaN();
  for (std::size_t label = 0; label < classes; ++label) shares[label] /= whole;
}

void ClassAreas::divide(cv::Size size) {
  size_ = size;
  spans_.clear();
  parts_.clear();
  for (int row = 0; row < size.height; ++row) divideRow(row);
  counts_.assign(parts_.size() * (static_cast<std::size_t>(classes_) + 1) * kLanes, 0);
}

void ClassAreas::divideRow(int row) {
  std::vector<std::pair<int, std::size_t>> borders;  // columns where zones begin and end
  std::vector<double> places;
  for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
    crossingsAt(zones_[zone].corners, (row + 0.5) / size_.height, places);
    for (const double x : places) borders.emplace_back(firstColumn(x, size_.width), zone);
  }
  std::sort(borders.begin(), borders.end());
  std::vector<bool> inside(zones_.size());
  int begin = 0;
  const auto close = [&](int end) {
    if (end == begin) return;
    const std::size_t part = partOf(inside);
    parts_[part].pixels += static_cast<std::size_t>(end - begin);
    spans_.push_back({row, begin, end, part});
    begin = end;
  };
  for (const auto& [column, zone] : borders) {
    close(column);
    inside[zone] = !inside[zone];
  }
  close(size_.width);
}

std::size_t ClassAreas::partOf(const std::vector<bool>& zones) {
  const auto found = std::find_if(parts_.begin(), parts_.end(),
                                  [&](const Part& part) { return part.zones == zones; });
  const auto part = static_cast<std::size_t>(found - parts_.begin());
  if (found == parts_.end()) parts_.push_back({zones, 0});
  return part;
}

}  // namespace mpm::monitor
