// SPDX-License-Identifier: Apache-2.0
#include "mpm/tune.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "mpm/net.h"
#include "tune/passes.h"
#include "tune/precisions.h"

namespace mpm {
namespace {

// Restores a segmenter's schedule.
class KeptSchedule {
 public:
  explicit KeptSchedule(Segmenter& segmenter)
      : segmenter_(segmenter), schedule_(segmenter.schedule()) {}
  ~KeptSchedule() { segmenter_.setSchedule(schedule_); }
  KeptSchedule(const KeptSchedule&) = delete;
  KeptSchedule& operator=(const KeptSchedule&) = delete;

  const Schedule& schedule() const { return schedule_; }

 private:
  Segmenter& segmenter_;
  Schedule schedule_;
};

// Returns the blocks that the net can merge before; in a converted file only those of its schedule.
std::vector<int> blocksOf(Segmenter& segmenter) {
  std::vector<int> blocks;
  for (int block = 0; block < segmenter.model().depth; ++block) {
    try {
      segmenter.setSchedule({block});
      blocks.push_back(block);
    } catch (const std::invalid_argument&) {  // no merge stands there
    }
  }
  return blocks;
}

tune::Trial trialOf(Segmenter& segmenter, const cv::Mat& frame) {
  Segmentation segmentation = segmenter.segment(frame);
  return {segmentation.times.wholeMs(), std::move(segmentation.labels),
          std::move(segmentation.rows)};
}

// Measures the noise floor of unmerged runs, before anything else runs.
double noiseFloorOf(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                    const std::function<bool(double)>& progress) {
  segmenter.setSchedule({});
  double sum = 0;
  for (const cv::Mat& frame : frames) {
    if (progress && !progress(0)) throw TuneStopped();
    sum += noiseFloor(frame, segmenter.segment(frame).labels, segmenter.model().input,
                      [&](const cv::Mat& moved) { return segmenter.segment(moved).labels; });
  }
  return sum / static_cast<double>(frames.size());
}

// Returns the frames that can judge anything. Throws std::invalid_argument, with `unknown`, if
// there are frames and all have a single colour.
std::vector<cv::Mat> judgingOf(const std::vector<cv::Mat>& frames, const std::string& unknown) {
  std::vector<cv::Mat> judging;
  std::remove_copy_if(frames.begin(), frames.end(), std::back_inserter(judging), isOfOneColour);
  if (judging.empty() && !frames.empty())
    throw std::invalid_argument("each frame has one colour, so " + unknown);
  return judging;
}

}  // namespace

Tuning tuneSchedules(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                     const TuneOptions& options) {
  if (!segmenter.model().mergeable)
    throw std::runtime_error("it cannot merge: " + segmenter.model().reason);
  const std::vector<cv::Mat> judging =
      judgingOf(frames, "no schedule can be judged by them; please give others");
  const KeptSchedule kept(segmenter);
  const auto run = [&](const Schedule& schedule, std::size_t frame) {
    segmenter.setSchedule(schedule);
    return trialOf(segmenter, judging[frame]);
  };
  const double floor = judging.empty() ? 1 : noiseFloorOf(segmenter, judging, options.progress);
  Tuning tuning = tune::tuneBy(run, judging.size(), blocksOf(segmenter), kept.schedule(), options);
  tuning.floor = floor;
  return tuning;
}

std::vector<TunedPrecision> tunePrecisions(const std::string& model,
                                           const SegmenterOptions& options,
                                           const std::vector<cv::Mat>& frames) {
  if (frames.empty())
    throw std::invalid_argument(
        "there are no frames to compare precisions on; expected one or more");
  const std::vector<cv::Mat> judging = judgingOf(
      frames, "no precision can be judged by them; please give others, or name a precision");
  SegmenterOptions plain = options;
  plain.confidence = plain.stages = false;
  const auto in = [&](const std::string& precision) {
    plain.read.precision = precision;
    return Segmenter(model, plain);
  };
  const auto runOf = [&](Segmenter& segmenter) {
    return [&](std::size_t frame) { return trialOf(segmenter, judging[frame]); };
  };
  Segmenter fp32 = in("fp32");
  std::vector<TunedPrecision> tuned{{"fp32"}};
  const std::string device = options.read.device.empty() ? "cpu" : options.read.device;
  for (const std::string precision : tune::kPrecisions) {
    if (precision == tuned[0].precision || !hasPrecision(precision, device)) continue;
    Segmenter other = in(precision);
    tuned.push_back(tune::comparePrecision(precision, runOf(fp32), runOf(other), judging.size()));
    tuned[0].ms = tuned.back().ms / tuned.back().ratio;
  }
  return tuned;
}

}  // namespace mpm
