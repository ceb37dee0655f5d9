// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/measure/machine.h"
#include "cli/tune_calibrated.h"
#include "mpm/tune.h"

namespace mpm::cli {

/// What is asked of a schedule: one of the two.
struct TuneGoal {
  std::optional<double> targetFps;
  double minAgreement = 0.99;  ///< where there is no target
};

/// What `mpm tune` found out.
struct TuneReport {
  std::string model, precision;
  std::vector<TunedPrecision> precisions;  ///< what it was chosen from; empty: it was asked for
  std::optional<double> labelsAsFp32;  ///< of the precision, at full tokens; none of float32 itself
  Machine machine;
  int frames = 0;   ///< that were judged by
  int leftOut = 0;  ///< others, of one colour
  Tuning tuning;
  TuneGoal goal;
  std::optional<CalibratedInt8> calibrated;  ///< where it was tried
  std::optional<Schedule> converted;         ///< the merges of a file that has no others
};

/// Whether int8 was tried, and labels fewer pixels as float32 does.
bool int8LosesLabels(const TuneReport& report);

/// The schedule that the goal asks for; null where none reaches the target.
const TunedSchedule* pickOf(const TuneReport& report);

/// The front, the pick and whether merging pays, for a person.
std::string tuneTable(const TuneReport& report);

/// {"model", "machine", "threads", "precision", "precisions": [{"precision", "ms", "ratio",
/// "agreement"}] where it was chosen, "labels_as_fp32", "frames", "left_out", "full", "schedules":
/// [{"schedule", "ms", "fps", "ratio", "agreement", "rows", "runs", "close", "front"}], "pays",
/// "goal", "pick", "calibrated_int8": {"fault"} or {"calibrated_on", "judged_by", "as_it_is",
/// "precisions", "helps", "command"} where that was tried}
std::string tuneJson(const TuneReport& report);

/// Time against agreement, BGR.
cv::Mat tunePicture(const TuneReport& report);

}  // namespace mpm::cli
