// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/segmenter.h"

/// Finds which schedule and which precision pay. Measures what each costs on this machine, and how
/// many unmerged or float32 labels it keeps on your frames. Experimental.
namespace mpm {

/// Says what one schedule costs and keeps.
struct TunedSchedule {
  Schedule schedule;  ///< empty: unmerged
  /// Time of a frame divided by the unmerged time. It is the median ratio of neighbouring runs, so
  /// that other load on the machine slows both.
  double ratio = 1;
  double ratioHigh = 1;      ///< the ratio is lower than this, 19 times in 20
  double ms = 0;             ///< of a frame, image to labels: `ratio` times the unmerged median
  double agreement = 1;      ///< share of pixels labelled as unmerged: mean over frames
  std::vector<double> rows;  ///< live rows, special ones included, before all merges and after
                             ///< each: means over frames
  int runs = 0;              ///< how many runs were timed
  bool close = true;         ///< measured closely; if not, only looked at, as others did better
  bool onFront = false;      ///< measured closely, and none is as fast and agrees better, or the
                             ///< other way round; merging that is not surely faster is not on it
};

struct Tuning {
  TunedSchedule full;                    ///< unmerged
  double floor = 1;                      ///< noiseFloor() of unmerged runs: mean over frames
  std::vector<TunedSchedule> schedules;  ///< every one that was run, the fastest first
  bool pays = false;                     ///< whether any schedule is surely faster by more than 3%
};

struct TuneOptions {
  /// Numbers of merges that schedules have, such as {1, 2}. Empty: 1 and 2, and in encoders of 24
  /// blocks or more also 3. If schedules with one merge fewer run too, those with three or more
  /// only run where they add one to a schedule near the front.
  std::vector<int> merges;
  int looks = 2;    ///< on how many frames every schedule is looked at
  int close = 16;   ///< about how many schedules are then measured closely
  int rounds = 15;  ///< on how many frames each; on every frame at least once
  /// Called with the share that is done, from 0 to 1. Returns whether to go on.
  std::function<bool(double share)> progress;
};

/// Thrown when TuneOptions::progress returns false.
struct TuneStopped : std::runtime_error {
  TuneStopped() : std::runtime_error("tuning was stopped") {}
};

/// Runs every schedule on the frames (as Segmenter::segment takes them), with unmerged runs in
/// between. Runs those near the front again, more closely. Frames of one colour are left out. The
/// segmenter's own schedule is always measured closely, and is set again afterwards. Throws
/// std::invalid_argument if no frame is left or `merges` allows no schedule, std::runtime_error if
/// the model cannot merge.
MPM_API Tuning tuneSchedules(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                             const TuneOptions& options = {});

/// Returns the share of pixels with the same label, from 0 to 1. It is 0 for empty pictures, and
/// for different sizes or types.
MPM_API double agreementOf(const cv::Mat& labels, const cv::Mat& others);

/// Returns the share of pixels with the same label after the picture moved sideways by a pixel,
/// which changes nothing that matters. Changes of labels up to here are the model's own noise: a
/// schedule with this label agreement loses next to no quality. `labels`: those of `frame`.
/// `labelsOf`: labels the moved frame. `input`: the model's size; the frame is moved by as many of
/// its pixels as make one of the input's. Returns 1 for a frame that is too small to be moved.
MPM_API double noiseFloor(const cv::Mat& frame, const cv::Mat& labels, const cv::Size& input,
                          const std::function<cv::Mat(const cv::Mat&)>& labelsOf);

/// Returns the fastest schedule whose label agreement is at least `agreement`, or unmerged. 0.99:
/// 99 of 100 pixels; Tuning::floor: as many as a picture moved by a pixel. In a tie of times, the
/// one that agrees best wins, then the one with the fewest merges.
MPM_API const TunedSchedule& fastestThatAgrees(const Tuning& tuning, double agreement);

/// Returns the schedule that agrees best among those that reach `framesPerSecond`; null if none
/// does. In a tie of agreement, the fastest wins, then the one with the fewest merges.
MPM_API const TunedSchedule* bestThatReaches(const Tuning& tuning, double framesPerSecond);

/// Says what one precision costs and keeps.
struct TunedPrecision {
  std::string precision;  ///< as in ReadOptions
  double ratio = 1;       ///< a frame's time divided by float32's: median over neighbouring runs
  double ms = 0;          ///< of a frame, image to labels: `ratio` times float32's median
  double agreement = 1;   ///< share of pixels labelled as with float32: mean over frames
};

/// Tells whether a frame has one colour, within a sensor's noise, as with a lid on the lens. A
/// broken model may label it like any other, so no schedule or precision can be judged by it.
MPM_API bool isOfOneColour(const cv::Mat& frame);

/// Measures every precision that the options' device computes in, float32 first, with the options'
/// schedule. Uses frames of more than one colour. Ignores the options' precision. Reads the model
/// once for each precision. Throws std::invalid_argument if there are none; otherwise throws as
/// Segmenter does.
MPM_API std::vector<TunedPrecision> tunePrecisions(const std::string& model,
                                                   const SegmenterOptions& options,
                                                   const std::vector<cv::Mat>& frames);

/// Share of pixels that a precision has to label as float32 does before it is chosen. The noise
/// floor does not matter here: a precision changes the same pixels in every frame.
inline constexpr double kEnoughLabels = 0.995;

/// Returns the fastest precision whose agreement with float32 is at least `agreement`, or float32.
/// Of two whose times are within 3%, which may be noise, the one that agrees better wins.
MPM_API const TunedPrecision& fastestPrecision(const std::vector<TunedPrecision>& precisions,
                                               double agreement = kEnoughLabels);

}  // namespace mpm
