// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/segmenter.h"

/// Which schedule and which precision pay: what each costs on this machine, and what it keeps of
/// full tokens' or float32's labels on the frames of whoever asks.
namespace mpm {

/// What one schedule costs and keeps.
struct TunedSchedule {
  Schedule schedule;  ///< empty: full tokens
  /// Time of a frame over full tokens' time: the median of the ratios of neighbouring runs, so that
  /// a machine that is busy now and then changes both.
  double ratio = 1;
  double ratioHigh = 1;      ///< the ratio is lower than this, 19 times in 20
  double ms = 0;             ///< of a frame, image to labels: `ratio` of full tokens' median
  double agreement = 1;      ///< share of pixels that full tokens label the same: mean over frames
  std::vector<double> rows;  ///< live rows, special ones included, before all merges and behind
                             ///< each: means over frames
  int runs = 0;              ///< how many frames say so
  bool close = true;         ///< measured closely; else looked at only, and left behind by others
  bool onFront = false;      ///< measured closely, and none is as fast and agrees better, or the
                             ///< other way round; merging that is not surely faster is not on it
};

struct Tuning {
  TunedSchedule full;                    ///< full tokens
  std::vector<TunedSchedule> schedules;  ///< every one that was run, the fastest first
  bool pays = false;                     ///< whether any schedule is surely faster by more than 3%
};

struct TuneOptions {
  /// How many merges schedules have, as {1, 2}. Empty: 1 and 2, and in encoders of 24 blocks or
  /// more 3 too. Where schedules with one merge fewer are run too, those of three and more merges
  /// are run only where they add one to a schedule that is near the front.
  std::vector<int> merges;
  int looks = 2;    ///< frames that every schedule is looked at with
  int close = 16;   ///< about how many of them are then measured closely
  int rounds = 15;  ///< with how many frames each; at least every frame once
  /// Is told what share is done, from 0 to 1. Gives whether to go on.
  std::function<bool(double share)> progress;
};

/// TuneOptions::progress said no.
struct TuneStopped : std::runtime_error {
  TuneStopped() : std::runtime_error("tuning was stopped") {}
};

/// Runs every schedule on the frames (as Segmenter::segment takes them), full tokens between them,
/// then those that are near the front again, more closely. The segmenter has its own schedule back
/// afterwards, which is always measured closely. std::invalid_argument where there are no frames or
/// `merges` names no schedule; std::runtime_error where the model cannot merge.
MPM_API Tuning tuneSchedules(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                             const TuneOptions& options = {});

/// The share of pixels with the same label, from 0 to 1; 0 of pictures of different sizes or types
/// and of empty ones.
MPM_API double agreementOf(const cv::Mat& labels, const cv::Mat& others);

/// The fastest that agrees with full tokens at least so far (0.99: in 99 of 100 pixels), or full
/// tokens. Of equally fast ones that which agrees best, then that with the fewest merges.
MPM_API const TunedSchedule& fastestThatAgrees(const Tuning& tuning, double agreement);

/// The one that agrees best among those that reach so many frames a second; null where none does.
/// Of those that agree equally the fastest, then that with the fewest merges.
MPM_API const TunedSchedule* bestThatReaches(const Tuning& tuning, double framesPerSecond);

/// What one precision costs and keeps.
struct TunedPrecision {
  std::string precision;  ///< as ReadOptions has it
  double ratio = 1;       ///< time of a frame over float32's: the median of neighbouring runs
  double ms = 0;          ///< of a frame, image to labels: `ratio` of float32's median
  double agreement = 1;   ///< share of pixels that float32 labels the same: mean over frames
};

/// Every precision that the options' device computes in, float32 first, on these frames, with the
/// options' schedule; their precision does not count. Reads the model once for each.
/// std::invalid_argument where there are no frames; else throws as Segmenter does.
MPM_API std::vector<TunedPrecision> tunePrecisions(const std::string& model,
                                                   const SegmenterOptions& options,
                                                   const std::vector<cv::Mat>& frames);

/// The fastest that agrees with float32 at least so far, or float32. Of two whose times are within
/// 3% of each other, which is what a noisy machine may get wrong, the one that agrees better.
MPM_API const TunedPrecision& fastestPrecision(const std::vector<TunedPrecision>& precisions,
                                               double agreement = 0.995);

}  // namespace mpm
