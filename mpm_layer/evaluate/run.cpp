// SPDX-License-Identifier: Apache-2.0
#include "evaluate/run.h"

#include <utility>

namespace mpm::evaluate {

RunSchedule runnerOf(Segmenter& segmenter) {
  return [&segmenter](const Schedule& schedule, const cv::Mat& photo) {
    segmenter.setSchedule(schedule);
    Segmentation found = segmenter.segment(photo);
    const SegmenterTimes& times = found.times;
    Outcome outcome;
    outcome.labels = std::move(found.labels);
    outcome.rows = std::move(found.rows);
    outcome.windows = found.windows;
    outcome.networkMs = times.networkMs;
    outcome.ms = times.prepareMs + times.networkMs + times.labelsMs;
    outcome.mergeMap = std::move(found.mergeMap);
    return outcome;
  };
}

void measureShard(const std::vector<Pair>& pairs, const Shard& shard, const Measure& measure,
                  const RunSchedule& run, const std::set<std::size_t>& done,
                  const std::function<void(const PictureRecord&)>& keep,
                  const std::function<void(double)>& progress) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (shard.has(i) && !done.contains(i)) left.push_back(i);
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    keep(measurePicture(pairs[left[i]], left[i], measure, run));
    progress(static_cast<double>(i + 1) / static_cast<double>(left.size()));
  }
}

std::vector<Pair> spreadPairs(const std::vector<Pair>& pairs, std::size_t count) {
  if (count == 0 || count >= pairs.size()) return pairs;
  std::vector<Pair> some;
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(pairs[(2 * i + 1) * pairs.size() / (2 * count)]);
  return some;
}

}  // namespace mpm::evaluate
