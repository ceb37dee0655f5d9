// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "cli/bench_report.h"
#include "mpm/net.h"

namespace mpm::cli {

/// What `mpm bench` is to measure.
struct BenchPlan {
  std::string model;
  ReadOptions read;  ///< how each net is read, but for schedule and precision
  std::vector<std::vector<int>> schedules;  ///< beside full tokens; empty: the model's own
  std::vector<std::string> precisions;      ///< at least one
  cv::Mat picture;                          ///< what every frame shows
  int batch = 1;  ///< beside one image at a time, so many at once; the model has to have them open
  int threads = 0;
  int rounds = 0;  ///< 0: as many as take about a quarter of a minute
};

/// Checks every configuration, then measures all of them in rounds. `onProgress` is told the share
/// that is done.
BenchReport measureBench(const BenchPlan& plan, const std::function<void(double)>& onProgress);

}  // namespace mpm::cli
