// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "monitor/engine/frame_result.h"
#include "mpm/segmenter.h"

namespace mpm::gui {

/// Over so many frames of a source at most the app says what one takes "lately".
constexpr std::size_t kFramesLately = 120;

/// What a frame takes, wherever the app says so: from the picture to its labels.
inline double frameMs(const SegmenterTimes& times) {
  return times.prepareMs + times.networkMs + times.labelsMs;
}

/// What the frames of one source took lately, each figure the mean over the same frames, so that
/// what stands side by side can be added and compared: a step is no longer than the frame, a frame
/// no longer than its age. Over as many frames as the strip's time, and without the oldest as
/// there, since the first one also lays out what the others use again. With another schedule, with
/// a memory or without one, and in a simulated night it begins anew, as the strip does.
class FrameTimes {
 public:
  /// Means, in milliseconds.
  struct Means {
    SegmenterTimes frame{};
    double viewsMs = 0;  ///< what the window took of it, beside the next frame
    double ageMs = 0;    ///< from the camera to its labels
    std::vector<NetworkStep> steps;
  };

  /// A frame that was shown, which took the window `viewsMs`. One that is there already does not
  /// count again.
  void add(const monitor::FrameResult& shown, double viewsMs) {
    const bool isOther =
        shown.schedule != schedule_ || shown.remembers != remembers_ ||
        shown.filtered != filtered_ ||
        (!lately_.empty() && shown.segmentation.steps.size() != lately_.back().steps.size());
    if (isOther) lately_.clear();
    schedule_ = shown.schedule;
    remembers_ = shown.remembers;
    filtered_ = shown.filtered;
    if (!lately_.empty() && readyMs_ == shown.readyMs && number_ == shown.frame.number) return;
    readyMs_ = shown.readyMs;
    number_ = shown.frame.number;
    // Moments are whole milliseconds.
    const auto age = static_cast<double>(shown.readyMs - shown.frame.taken.steadyMs);
    lately_.push_back({shown.segmentation.times, viewsMs,
                       std::max(age, frameMs(shown.segmentation.times)), shown.segmentation.steps});
    if (lately_.size() > kFramesLately) lately_.pop_front();
  }

  void clear() { lately_.clear(); }
  bool empty() const { return lately_.empty(); }
  const Schedule& schedule() const { return schedule_; }  ///< of them all

  /// Of at least one.
  Means means() const {
    const std::size_t from = lately_.size() > 1 ? 1 : 0;
    Means sum = lately_.back();
    sum.frame = {};
    sum.viewsMs = sum.ageMs = 0;
    for (NetworkStep& step : sum.steps) step.ms = 0;
    const double share = 1.0 / static_cast<double>(lately_.size() - from);
    for (std::size_t i = from; i < lately_.size(); ++i) {
      const Means& one = lately_[i];
      sum.frame.prepareMs += share * one.frame.prepareMs;
      sum.frame.networkMs += share * one.frame.networkMs;
      sum.frame.labelsMs += share * one.frame.labelsMs;
      sum.viewsMs += share * one.viewsMs;
      sum.ageMs += share * one.ageMs;
      for (std::size_t k = 0; k < sum.steps.size(); ++k) sum.steps[k].ms += share * one.steps[k].ms;
    }
    return sum;
  }

 private:
  std::deque<Means> lately_;  // of single frames
  Schedule schedule_;
  bool remembers_ = false, filtered_ = false;
  std::uint64_t number_ = 0;  // of the newest
  std::int64_t readyMs_ = 0;
};

}  // namespace mpm::gui
