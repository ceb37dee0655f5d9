// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/segmenter.h"

/// Which schedule and which precision pay: what each costs on this machine, and how many of full
/// tokens' or float32's labels it keeps on your frames.
namespace mpm {

/// What one schedule costs and keeps.
struct TunedSchedule {
  Schedule schedule;  ///< empty: full tokens
  /// A frame's time divided by full tokens' time: the median of the ratios of neighbouring runs, so
  /// that a machine that is busy now and then slows both.
  double ratio = 1;
  double ratioHigh = 1;      ///< the ratio is lower than this, 19 times in 20
  double ms = 0;             ///< of a frame, image to labels: `ratio` times full tokens' median
  double agreement = 1;      ///< share of pixels labelled as with full tokens: mean over frames
  std::vector<double> rows;  ///< live rows, special ones included, before all merges and after
                             ///< each: means over frames
  int runs = 0;              ///< how many runs were timed
  bool close = true;         ///< measured closely; if not, only looked at, as others did better
  bool onFront = false;      ///< measured closely, and none is as fast and agrees better, or the
                             ///< other way round; merging that is not surely faster is not on it
};

struct Tuning {
  TunedSchedule full;                    ///< full tokens
  double floor = 1;                      ///< noiseFloor() of full tokens: mean over frames
  std::vector<TunedSchedule> schedules;  ///< every one that was run, the fastest first
  bool pays = false;                     ///< whether any schedule is surely faster by more than 3%
};

struct TuneOptions {
  /// How many merges schedules have, such as {1, 2}. Empty: 1 and 2, and in encoders of 24 blocks
  /// or more also 3. If schedules with one merge fewer are run too, those with three or more merges
  /// are run only if they add one to a schedule that is near the front.
  std::vector<int> merges;
  int looks = 2;    ///< on how many frames every schedule is looked at
  int close = 16;   ///< about how many schedules are then measured closely
  int rounds = 15;  ///< on how many frames each; on every frame at least once
  /// Called with the share that is done, from 0 to 1. Returns whether to go on.
  std::function<bool(double share)> progress;
};

/// TuneOptions::progress said no.
struct TuneStopped : std::runtime_error {
  TuneStopped() : std::runtime_error("tuning was stopped") {}
};

/// Runs every schedule on the frames (as Segmenter::segment takes them) but those of one colour,
/// with full tokens in between, then those near the front again, more closely. The segmenter has
/// its own schedule back afterwards, which is always measured closely. std::invalid_argument if
/// there are no such frames or `merges` allows no schedule; std::runtime_error if the model cannot
/// merge.
MPM_API Tuning tuneSchedules(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                             const TuneOptions& options = {});

/// The share of pixels with the same label, from 0 to 1; 0 for pictures of different sizes or types
/// and for empty ones.
MPM_API double agreementOf(const cv::Mat& labels, const cv::Mat& others);

/// The share of pixels that a model labels the same when its picture is moved sideways by a pixel,
/// which changes nothing that matters. What labels change by up to here is noise of the model's
/// own: a schedule that agrees with full tokens in as many pixels loses next to no quality.
/// `labels`: those of `frame`. `labelsOf`: labels the moved frame. `input`: the model's size; the
/// frame is moved by as many of its pixels as make one of the input's. 1 for a frame that is too
/// small to be moved.
MPM_API double noiseFloor(const cv::Mat& frame, const cv::Mat& labels, const cv::Size& input,
                          const std::function<cv::Mat(const cv::Mat&)>& labelsOf);

/// The fastest schedule whose agreement with full tokens is at least `agreement` (0.99: 99 of 100
/// pixels; Tuning::floor: as many as a picture moved by a pixel), or full tokens. Of equally fast
/// ones, the one that agrees best, then the one with the fewest merges.
MPM_API const TunedSchedule& fastestThatAgrees(const Tuning& tuning, double agreement);

/// The schedule that agrees best among those that reach `framesPerSecond`; null if none does. Of
/// those that agree equally, the fastest, then the one with the fewest merges.
MPM_API const TunedSchedule* bestThatReaches(const Tuning& tuning, double framesPerSecond);

/// What one precision costs and keeps.
struct TunedPrecision {
  std::string precision;  ///< as in ReadOptions
  double ratio = 1;       ///< a frame's time divided by float32's: median over neighbouring runs
  double ms = 0;          ///< of a frame, image to labels: `ratio` times float32's median
  double agreement = 1;   ///< share of pixels labelled as with float32: mean over frames
};

/// Whether a frame has one colour, give or take a sensor's noise, as with a lid on the lens: a
/// model that a precision or a schedule breaks may label it like any other, so nothing can be
/// judged by it.
MPM_API bool isOfOneColour(const cv::Mat& frame);

/// Measures every precision that the options' device computes in, float32 first, on these frames
/// but those of one colour, with the options' schedule; the options' precision is ignored. Reads
/// the model once for each. std::invalid_argument if there are no such frames; otherwise throws as
/// Segmenter does.
MPM_API std::vector<TunedPrecision> tunePrecisions(const std::string& model,
                                                   const SegmenterOptions& options,
                                                   const std::vector<cv::Mat>& frames);

/// The share of the pixels that a precision has to label as float32 does, to be taken for it.
/// Whatever the noise floor is: what a precision changes, it changes in every frame alike.
inline constexpr double kEnoughLabels = 0.995;

/// The fastest precision whose agreement with float32 is at least `agreement`, or float32. Of two
/// whose times are within 3% of each other, a difference that may be noise, the one that agrees
/// better.
MPM_API const TunedPrecision& fastestPrecision(const std::vector<TunedPrecision>& precisions,
                                               double agreement = kEnoughLabels);

}  // namespace mpm
