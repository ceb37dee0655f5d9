// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/measure/machine.h"
#include "cli/measure/timing.h"
#include "mpm/net.h"

namespace mpm::cli {

/// What `mpm bench` is to measure.
struct BenchPlan {
  std::string model;
  ReadOptions read;                     ///< how each net is read, but for schedule and precision
  std::vector<Schedule> schedules;      ///< beside full tokens
  bool areSchedulesAsked = false;       ///< otherwise the model's own
  std::vector<std::string> precisions;  ///< at least one
  bool arePrecisionsAsked = false;      ///< not just all that there are
  cv::Mat picture;                      ///< what every frame shows
  int batch = 1;  ///< beside one image at a time, so many at once; the model has to have them open
  int threads = 0;
  int rounds = 0;  ///< 0: as many as take about a quarter of a minute
};

/// What `mpm bench` found out.
struct BenchReport {
  struct Row {
    std::string name, precision, device;
    Schedule schedule;
    Times times;  ///< ratio: to the first row
    std::vector<int> rows;
    StepTimes steps{};
    /// The share of labels that float32 gives as well with this schedule; none of float32 itself,
    /// and where the first output is no scores of classes.
    std::optional<double> labels;
  };

  std::string model;
  Machine machine;
  int rounds = 0;
  std::string peakShape;                           ///< "1025 x 192 x 768"
  std::optional<double> peak, peakBf16, peakInt8;  ///< GFLOP/s
  std::string opencv;                              ///< why OpenCV's own layers are no row; or empty
  std::string notMergeable;                        ///< why the model cannot merge; or empty
  std::vector<Row> rows;                           ///< the first: full tokens
};

/// Checks every configuration, then measures all of them in rounds. `onProgress` is told the share
/// that is done.
BenchReport measureBench(const BenchPlan& plan, const std::function<void(double)>& onProgress);

/// For a person.
std::string benchTable(const BenchReport& report);

/// {"model", "machine", "threads", "gemm_peak_gflops", "configs"}: see the command's help. The peak
/// is null where this build cannot measure it.
std::string benchJson(const BenchReport& report);

}  // namespace mpm::cli
