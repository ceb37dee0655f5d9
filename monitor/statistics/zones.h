// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <utility>
#include <vector>

namespace mpm::monitor {

/// A part of the picture that is watched by itself.
struct Zone {
  std::string name;
  std::vector<cv::Point2d> corners;  ///< three or more, from (0, 0) to (1, 1) of the picture
  bool onGround{false};              ///< its square metres are measured, too: see GroundAreas
  bool operator==(const Zone&) const = default;
};

/// std::invalid_argument, one sentence that names the zone: an empty or repeated name (also one
/// that is the same in a metric's, metricPart), too few corners, a corner outside, no area.
void checkZones(const std::vector<Zone>& zones);

/// Some pixels of a row, from begin to before end.
struct RowSpan {
  int row = 0, begin = 0, end = 0;
};

/// How large each class is in the picture and in each zone. A pixel is in a zone where its centre
/// is, by the even-odd rule; of zones that share an edge it is in one.
class ClassAreas {
 public:
  /// Throws as checkZones does, and std::invalid_argument where there is no class.
  ClassAreas(std::vector<Zone> zones, int classes);

  /// Moves the same zones to where they are from now on, outside the picture, too.
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

/// The green chromatic coordinate of the picture and of each zone, as PhenoCam computes it: means
/// of red, green and blue over all pixels first, then G / (R + G + B). 1/3 is grey.
class Greenness {
 public:
  explicit Greenness(std::vector<Zone> zones) : zones_(std::move(zones)) {}

  /// Moves them to where they are from now on, outside the picture, too.
  void place(std::vector<Zone> zones);
  /// `picture`: CV_8UC3, BGR. Of the picture, then of each zone; NaN where it is too dark or too
  /// bright to tell, by PhenoCam's borders: R + G + B below 100 or above 665; and where a zone
  /// covers no pixel's centre. std::invalid_argument on another type.
  const std::vector<double>& measure(const cv::Mat& picture);

 private:
  std::vector<Zone> zones_;
  cv::Size size_;
  std::vector<std::vector<RowSpan>> spans_;  // of each zone
  std::vector<double> greenness_;
};

/// Four points of flat ground, in turn around: where they are in the picture, from (0, 0) to
/// (1, 1), and in metres, from any corner and in any direction.
struct Ground {
  std::array<cv::Point2d, 4> points, metres;
  bool operator==(const Ground&) const = default;
};

/// How far a zone may reach whose square metres are measured, in shares of how far away the
/// farthest of the four points is: beyond that a pixel's error is metres, and there is no ground
/// above the horizon.
constexpr double kMostDepth = 4;

/// std::invalid_argument, one sentence: points outside the picture, that are not finite, three on a
/// line or nearly, not in turn around; and a zone on the ground that reaches farther than
/// kMostDepth.
void checkGround(const Ground& ground);
void checkOnGround(const Zone& zone, const Ground& ground);

/// How many square metres of the ground each class takes: within the four points, and in each zone
/// that is on the ground. A pixel counts where its centre is, with what it covers there.
class GroundAreas {
 public:
  /// std::invalid_argument as above; `zones` that are not on the ground are left out.
  GroundAreas(const Ground& ground, const std::vector<Zone>& zones, int classes);
  /// Moves them to where they are from now on, outside the picture, too.
  void place(const Ground& ground, const std::vector<Zone>& zones);
  /// `labels`: CV_8U or CV_16U. Each class within the four points, then in the first zone, ...; NaN
  /// in what covers no pixel's centre.
  const std::vector<double>& measure(const cv::Mat& labels);

 private:
  void divide(const cv::Size& size);
  template <typename Label>
  void count(const cv::Mat& labels);

  int classes_;
  Ground ground_;
  std::vector<Zone> zones_;
  cv::Size size_;
  cv::Mat scale_;                            // CV_32F: square metres of each pixel that counts
  std::vector<std::vector<RowSpan>> spans_;  // of the four points, then of each zone
  std::vector<double> areas_;
};

}  // namespace mpm::monitor
