// SPDX-License-Identifier: Apache-2.0
#include "mpm/tune.h"

#include <stdexcept>
#include <utility>

#include "tune/passes.h"

namespace mpm {
namespace {

// Gives a segmenter its schedule back.
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

// The blocks that the net can merge before: of a converted file those of its schedule alone.
std::vector<int> blocksOf(Segmenter& segmenter) {
  std::vector<int> blocks;
  for (int block = 0; block < segmenter.model().blocks; ++block) {
    try {
      segmenter.setSchedule({block});
      blocks.push_back(block);
    } catch (const std::invalid_argument&) {  // no merge stands there
    }
  }
  return blocks;
}

}  // namespace

Tuning tuneSchedules(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                     const TuneOptions& options) {
  if (!segmenter.model().mergeable)
    throw std::runtime_error("it cannot merge: " + segmenter.model().reason);
  const KeptSchedule kept(segmenter);
  const auto run = [&](const Schedule& schedule, std::size_t frame) {
    segmenter.setSchedule(schedule);
    Segmentation segmentation = segmenter.segment(frames[frame]);
    const SegmenterTimes& times = segmentation.times;
    return tune::Trial{times.prepareMs + times.networkMs + times.labelsMs,
                       std::move(segmentation.labels), std::move(segmentation.rows)};
  };
  return tune::tuneBy(run, frames.size(), blocksOf(segmenter), kept.schedule(), options);
}

}  // namespace mpm
