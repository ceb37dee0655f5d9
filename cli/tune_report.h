// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/measure.h"
#include "mpm/net.h"
#include "mpm/tune.h"

namespace mpm::cli {

/// int8 calibrated on every second frame and judged by the others, since ranges measured on a frame
/// flatter it.
struct CalibratedInt8 {
  std::string fault;  ///< why it could not be tried, in a sentence without its end; else empty
  std::size_t calibratedOn = 0, judgedBy = 0;  ///< frames
  std::vector<TunedPrecision> asItIs;          ///< of the model, by the frames that judge
  std::vector<TunedPrecision> precisions;      ///< the same of the calibrated file
  std::string command;  ///< what makes such a file, calibrated on all the inputs

  /// Tells whether the file is worth making: int8 keeps float32's labels in it, and more than
  /// uncalibrated, and --precision auto chooses it there. Uncalibrated int8 may be good enough on
  /// these frames alone.
  bool helps() const;
};

/// Returns int8 from the result of tunePrecisions; null if it is missing.
const TunedPrecision* int8Of(const std::vector<TunedPrecision>& precisions);

/// Tries the file that `mpm convert --calibrate` would write of the model, read with these options,
/// and removes it. `inputs` are the sources of the frames.
CalibratedInt8 tryCalibrated(const std::string& model, const ReadOptions& read,
                             const std::vector<cv::Mat>& frames,
                             const std::vector<std::string>& inputs);

/// Requirement on a schedule: at most one of the two.
struct TuneGoal {
  std::optional<double> targetFps;
  std::optional<double> minAgreement{};  ///< without either: the unmerged noise floor
};

/// Results of `mpm tune`.
struct TuneReport {
  std::string model, precision;
  std::vector<TunedPrecision> precisions;  ///< what it was chosen from; empty: it was asked for
  std::optional<double> labelsAsFp32;      ///< of the precision, unmerged; none of float32 itself
  Machine machine;
  int frames = 0;   ///< that were judged by
  int leftOut = 0;  ///< others, of one colour
  Tuning tuning;
  TuneGoal goal;
  std::optional<CalibratedInt8> calibrated;  ///< where it was tried
  std::optional<Schedule> converted;         ///< the merges of a file that has no others
};

/// Tells whether int8 was tried and labels fewer pixels as float32 does.
bool int8LosesLabels(const TuneReport& report);

/// Returns the schedule that meets the goal; null if none reaches the target.
const TunedSchedule* pickOf(const TuneReport& report);

/// Formats the front, the pick and whether merging pays, for a person.
std::string tuneTable(const TuneReport& report);

/// Returns {"model", "machine", "threads", "precision", "precisions": [{"precision", "ms", "ratio",
/// "agreement"}] if it was chosen, "labels_as_fp32", "frames", "left_out", "full", "schedules":
/// [{"schedule", "ms", "fps", "ratio", "agreement", "rows", "runs", "close", "front"}], "floor",
/// "pays", "goal", "pick", "calibrated_int8": {"fault"} or {"calibrated_on", "judged_by",
/// "as_it_is", "precisions", "helps", "command"} if that was tried}.
std::string tuneJson(const TuneReport& report);

}  // namespace mpm::cli
