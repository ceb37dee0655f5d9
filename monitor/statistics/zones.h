// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::monitor {

/// A part of the picture that is watched by itself.
struct Zone {
  std::string name;
  std::vector<cv::Point2d> corners;  ///< three or more, from (0, 0) to (1, 1) of the picture
  bool onGround{false};              ///< its square metres are measured, too: see ground.h
  bool operator==(const Zone&) const = default;
};

/// std::invalid_argument, one sentence that names the zone: an empty or repeated name (also one
/// that is the same in a metric's, metricPart), too few corners, a corner outside, no area.
void checkZones(const std::vector<Zone>& zones);

/// Where a polygon's edges go through the height `y`, from left to right: inside is from the first
/// to the second, the third to the fourth, ... An edge belongs to its upper end (the smaller y) and
/// not to its lower one, and an edge that two polygons share is in the same place for both.
void crossingsAt(const std::vector<cv::Point2d>& corners, double y, std::vector<double>& places);

/// Whether anything is inside.
bool hasArea(const std::vector<cv::Point2d>& corners);

/// The first of `width` columns, over the whole picture, whose centre is not left of `x` (0 to 1).
int firstColumn(double x, int width);

/// Some pixels of a row, from begin to before end.
struct RowSpan {
  int row = 0, begin = 0, end = 0;
};
/// Those whose centres are inside; corners may lie outside the picture.
std::vector<RowSpan> spansOf(const std::vector<cv::Point2d>& corners, const cv::Size& size);

/// How large each class is in the picture and in each zone. A pixel is in a zone where its centre
/// is, by the even-odd rule; of zones that share an edge it is in one.
class ClassAreas {
 public:
  /// Throws as checkZones does, and std::invalid_argument where there is no class.
  ClassAreas(std::vector<Zone> zones, int classes);

  /// Where the same zones are from now on, outside the picture, too.
  void place(std::vector<Zone> zones);

  /// `labels`: CV_8U or CV_16U, of any size. First each class's share of the picture, then each
  /// class's share of the first zone, ...: classes * (1 + zones) values from 0 to 1; NaN in a zone
  /// that covers no pixel's centre. Labels that are no class do not count: then shares sum to less
  /// than 1. std::invalid_argument where `labels` is empty or of another type.
  const std::vector<double>& measure(const cv::Mat& labels);

 private:
  // Some pixels of a row that are in the same zones.
  struct Span {
    int row, begin, end;
    std::size_t part;
  };
  // All pixels that are in the same zones, so that each is counted once.
  struct Part {
    std::vector<bool> zones;
    std::size_t pixels = 0;
  };
  void divide(cv::Size size);
  void divideRow(int row);
  std::size_t partOf(const std::vector<bool>& zones);
  template <typename Label>
  void count(const cv::Mat& labels);
  void share(std::size_t zone, double* shares) const;

  std::vector<Zone> zones_;
  int classes_;
  cv::Size size_;
  std::vector<Span> spans_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> counts_;  // parts x (classes, and what is none) x lanes
  std::vector<double> shares_;
};

}  // namespace mpm::monitor
