// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "evaluate/confusion.h"
#include "mpm/segmenter.h"

namespace mpm::cli {

/// One street over a day, segmented with full tokens and with merging.
struct DemoOptions {
  std::string model;
  SegmenterOptions segmenter;  ///< of merging; full tokens differ in the schedule alone
  std::uint64_t seed = 7;
  int frames = 96;
};

struct DemoFrame {
  double hour = 0;
  double daylight = 0;              ///< 0 night, 1 day
  std::vector<int> rows;            ///< live rows before all merges and behind each
  double agreement = 0;             ///< share of the pixels with the same label as by full tokens
  double fullMs = 0, mergedMs = 0;  ///< frame to labels
};

enum class DemoLight { day, twilight, night };
constexpr int kDemoLights = 3;
DemoLight demoLightOf(const DemoFrame& frame);
const char* nameOf(DemoLight light);

/// What is shown of a moment.
struct DemoMoment {
  double hour = 0;
  cv::Mat picture, labels, fullLabels, mergeMap;
  std::vector<int> rows;
};

struct DemoDay {
  std::vector<DemoFrame> frames;
  /// For each DemoLight, against the street's own labels; empty where the model has other classes.
  std::vector<evaluate::Confusion> full, merged;
  std::vector<DemoMoment> moments;  ///< noon and midnight
  std::vector<cv::Vec3b> palette;
  Schedule schedule;
  std::string device;  ///< what computed; empty: the processor
  int threads = 1;
};

/// Throws as Segmenter does, and std::runtime_error where the model cannot merge. `ready` is called
/// when the model has been read, `seen` with each frame.
DemoDay runDemoDay(const DemoOptions& options, const std::function<void()>& ready,
                   const std::function<void(const DemoFrame&)>& seen);

/// "12:00  day  1025 > 790 > 640 rows ...": what a frame gave, on a line without its end.
std::string demoLine(const DemoFrame& frame);

/// A line for each light: mIoU and time of full tokens and of merging, rows, agreement; and what
/// the times were measured on.
std::string demoTable(const DemoDay& day);

/// Every frame and every light, for programs.
std::string demoJson(const DemoDay& day);

/// Live rows over the day.
cv::Mat demoChart(const DemoDay& day);

/// A moment: the frame, its labels by full tokens and with merging, the merged tokens.
cv::Mat demoPicture(const DemoMoment& moment, const std::vector<cv::Vec3b>& palette);

}  // namespace mpm::cli
