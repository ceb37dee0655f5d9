// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/zones.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "monitor/statistics/metrics.h"

namespace mpm::monitor {
namespace {

// Counts neighbours in separate lanes, so that no count waits for the previous one: they mostly
// have the same label.
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

constexpr double kDarkest = 100, kBrightest = 665;

double greennessOf(const cv::Vec3d& meanBgr) {
  const double sum = meanBgr[0] + meanBgr[1] + meanBgr[2];
  if (!(sum >= kDarkest && sum <= kBrightest)) return std::numeric_limits<double>::quiet_NaN();
  return meanBgr[1] / sum;
}

cv::Vec3d meanOver(const cv::Mat& picture, const std::vector<RowSpan>& spans) {
  std::array<std::uint64_t, 3> sums{};
  std::uint64_t pixels = 0;
  for (const RowSpan& span : spans) {
    std::uint32_t b = 0, g = 0, r = 0;
    const uchar *from = picture.ptr(span.row) + 3 * span.begin,
                *end = picture.ptr(span.row) + 3 * span.end;
    for (; from < end; from += 3) b += from[0], g += from[1], r += from[2];
    sums[0] += b, sums[1] += g, sums[2] += r;
    pixels += static_cast<std::uint64_t>(span.end - span.begin);
  }
  const auto count = static_cast<double>(pixels);  // 0: not a number
  return {static_cast<double>(sums[0]) / count, static_cast<double>(sums[1]) / count,
          static_cast<double>(sums[2]) / count};
}

using Points = std::array<cv::Point2d, 4>;

constexpr double kLeastSine = 0.02;  // of each corner's angle: about one degree
constexpr double kMostMetres = 1e6;

// Returns the sine of the angle at each corner. Their signs agree if the points go around.
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

// Returns the plane's matrix from eight equations; its last number is 1.
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

// Finds where edges cross the height `y`, from left to right: the inside is from the first to the
// second, the third to the fourth, and so on. An edge includes its upper end (the smaller y) and
// not its lower one. An edge that two polygons share is in the same place for both.
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

// Tells whether anything is inside.
bool hasArea(const std::vector<cv::Point2d>& corners) {
  std::vector<double> heights, places;
  for (const cv::Point2d& corner : corners) heights.push_back(corner.y);
  std::sort(heights.begin(), heights.end());
  double area = 0;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    const double height = heights[i] - heights[i - 1];
    if (height <= 0) continue;
    // Edges cross each other at one height, not at all of these.
    for (const double share : {0.21, 0.5, 0.83}) {
      crossingsAt(corners, heights[i - 1] + share * height, places);
      for (std::size_t k = 1; k < places.size(); k += 2) {
        area += height * (places[k] - places[k - 1]) / 3;
      }
    }
  }
  return area > kLeastArea;
}

// Returns the first of `width` columns with a centre not left of `x` (0 to 1).
int firstColumn(double x, int width) {
  const auto centre = [&](int column) { return (column + 0.5) / width; };
  int column = std::clamp(static_cast<int>(std::ceil(x * width - 0.5)), 0, width);
  while (column > 0 && centre(column - 1) >= x) --column;
  while (column < width && centre(column) < x) ++column;
  return column;
}

// Returns the pixels with centres inside; corners may lie outside the picture.
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

// Maps the picture (0 to 1) to ground that checkGround accepts.
class GroundPlane {
 public:
  explicit GroundPlane(const Ground& ground) : toMetres_(homography(ground)) {
    // Makes it positive where the ground is.
    if (nearnessAt(ground.points[0]) < 0) toMetres_ = toMetres_ * -1.0;
    determinant_ = std::abs(cv::determinant(toMetres_));
    farthest_ = std::numeric_limits<double>::infinity();
    for (const cv::Point2d& point : ground.points) {
      farthest_ = std::min(farthest_, nearnessAt(point));
    }
  }
  // Returns the distance of a place along the camera's axis, in shares of the farthest of the four
  // points. It is infinite at the horizon and negative above it.
  double depthAt(const cv::Point2d& place) const { return farthest_ / nearnessAt(place); }
  // Returns the square metres of the whole picture's area if all of it had this place's scale.
  double scaleAt(const cv::Point2d& place) const {
    const double nearness = nearnessAt(place);
    return determinant_ / (nearness * nearness * nearness);
  }

 private:
  double nearnessAt(const cv::Point2d& place) const {
    return toMetres_(2, 0) * place.x + toMetres_(2, 1) * place.y + toMetres_(2, 2);
  }
  cv::Matx33d toMetres_;
  double determinant_ = 0, farthest_ = 1;
};

// Passes a value of the labels' type, 8 or 16 bits, to `count`.
template <typename Count>
void countLabels(const cv::Mat& labels, const char* what, const Count& count) {
  if (labels.empty() || (labels.type() != CV_8UC1 && labels.type() != CV_16UC1)) {
    throw std::invalid_argument(std::string(what) +
                                " are measured on labels of 8 or 16 bits without a sign");
  }
  labels.depth() == CV_8U ? count(std::uint8_t()) : count(std::uint16_t());
}

}  // namespace

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
  countLabels(labels, "areas", [&](auto label) {
    if (labels.size() != size_) divide(labels.size());
    std::fill(counts_.begin(), counts_.end(), 0);
    count<decltype(label)>(labels);
  });
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

// `zone` 0 is the picture.
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

void Greenness::place(std::vector<Zone> zones) {
  zones_ = std::move(zones);
  size_ = {};
}

const std::vector<double>& Greenness::measure(const cv::Mat& picture) {
  if (picture.empty() || picture.type() != CV_8UC3)
    throw std::invalid_argument("greenness is measured on pictures of 8 bits with 3 channels");
  if (picture.size() != size_) {
    size_ = picture.size();
    spans_.clear();
    for (const Zone& zone : zones_) spans_.push_back(spansOf(zone.corners, size_));
  }
  const cv::Scalar whole = cv::mean(picture);
  greenness_.assign(1, greennessOf({whole[0], whole[1], whole[2]}));
  for (const std::vector<RowSpan>& spans : spans_) {
    greenness_.push_back(greennessOf(meanOver(picture, spans)));
  }
  return greenness_;
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
  countLabels(labels, "square metres", [&](auto label) {
    if (labels.size() != size_) divide(labels.size());
    areas_.assign(spans_.size() * static_cast<std::size_t>(classes_), 0);
    count<decltype(label)>(labels);
  });
  return areas_;
}

}  // namespace mpm::monitor
