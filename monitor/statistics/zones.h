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

/// A part of the picture that is watched separately.
struct Zone {
  std::string name;
  std::vector<cv::Point2d> corners;  ///< three or more, from (0, 0) to (1, 1) of the picture
  bool onGround{false};              ///< its square metres are measured, too: see GroundAreas
  bool operator==(const Zone&) const = default;
};

/// Throws std::invalid_argument, in one sentence that names the zone: an empty or repeated name
/// (also one that is equal in metrics, metricPart), too few corners, a corner outside, no area.
void checkZones(const std::vector<Zone>& zones);

/// Pixels of a row, from begin to before end.
struct RowSpan {
  int row = 0, begin = 0, end = 0;
};

/// Measures each class's area in the picture and in each zone. A pixel is in a zone if its centre
/// is, by the even-odd rule; of zones that share an edge it is in one.
class ClassAreas {
 public:
  /// Throws as checkZones does, and std::invalid_argument without classes.
  ClassAreas(std::vector<Zone> zones, int classes);

  /// Moves the zones to new places, possibly outside the picture.
  void place(std::vector<Zone> zones);

  /// Returns, for `labels` CV_8U or CV_16U of any size, each class's share of the picture, then of
  /// the first zone, and so on: classes * (1 + zones) values from 0 to 1. A zone that covers no
  /// pixel's centre gets NaN. Labels that are no class do not count, so shares may sum to less than
  /// 1. Throws std::invalid_argument if `labels` is empty or of another type.
  const std::vector<double>& measure(const cv::Mat& labels);

 private:
  // Pixels of a row that are in the same zones.
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

/// Computes the green chromatic coordinate of the picture and of each zone, as PhenoCam does: means
/// of red, green and blue over all pixels first, then G / (R + G + B). 1/3 is grey.
class Greenness {
 public:
  explicit Greenness(std::vector<Zone> zones) : zones_(std::move(zones)) {}

  /// Moves the zones to new places, possibly outside the picture.
  void place(std::vector<Zone> zones);
  /// Measures `picture`, CV_8UC3 in BGR, then each zone. Returns NaN if it is too dark or bright by
  /// PhenoCam's limits: R + G + B below 100 or above 665. A zone that covers no pixel's centre gets
  /// NaN, too. Throws std::invalid_argument for another type.
  const std::vector<double>& measure(const cv::Mat& picture);

 private:
  std::vector<Zone> zones_;
  cv::Size size_;
  std::vector<std::vector<RowSpan>> spans_;  // of each zone
  std::vector<double> greenness_;
};

/// Four points of flat ground, in order around it: in the picture, from (0, 0) to (1, 1), and in
/// metres, from any origin and in any direction.
struct Ground {
  std::array<cv::Point2d, 4> points, metres;
  bool operator==(const Ground&) const = default;
};

/// Limits the reach of a zone measured in square metres, relative to the farthest of the four
/// points. Beyond it a pixel's error is metres, and above the horizon there is no ground.
constexpr double kMostDepth = 4;

/// Throw std::invalid_argument, in one sentence: points outside the picture or not finite, three on
/// a line or nearly so, not in order around; or a zone on the ground beyond kMostDepth.
void checkGround(const Ground& ground);
void checkOnGround(const Zone& zone, const Ground& ground);

/// Measures the square metres of ground of each class, within the four points and in each zone on
/// the ground. A pixel counts where its centre is, with the area it covers there.
class GroundAreas {
 public:
  /// Throws std::invalid_argument as above; ignores `zones` that are not on the ground.
  GroundAreas(const Ground& ground, const std::vector<Zone>& zones, int classes);
  /// Moves ground and zones to new places, possibly outside the picture.
  void place(const Ground& ground, const std::vector<Zone>& zones);
  /// Returns, for `labels` CV_8U or CV_16U, each class within the four points, then in the first
  /// zone, and so on. Parts that cover no pixel's centre get NaN.
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
