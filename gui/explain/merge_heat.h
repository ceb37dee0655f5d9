// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <array>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "gui/canvas/painting.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// Counts how often each patch shared its token with others after the last merge, in frames of one
/// source, model and schedule. Simulated nights do not count.
class MergeHeat {
 public:
  /// Frames that are counted together: in any light, by day, at night, and per hour of the day
  /// (local), which is kFirstHour and 0 to 23.
  enum Which : int { kAll, kDay, kNight, kFirstHour };
  static constexpr int kHours = 24;

  /// Takes each frame that is shown; with a memory the newest that has counts is used, once.
  void add(const monitor::FrameResult& shown) {
    const monitor::FrameResult& told = shown.merged ? *shown.merged : shown;
    const cv::Mat* map = mapBehind(told.segmentation, 0);
    const std::pair number(told.frame.number, told.frame.taken.steadyMs);
    if (!map || told.filtered || told.schedule.empty() || number == last_) return;
    last_ = number;
    add(*map, told.schedule, told.light.state, told.frame.taken.utcMs);
  }

  /// Takes a map after the last merge, CV_32S. Another size or schedule restarts.
  void add(const cv::Mat& map, const Schedule& schedule, monitor::LightState light,
           std::int64_t takenUtcMs) {
    if (map.size() != grid_ || schedule != schedule_) {
      clear();
      grid_ = map.size();
      schedule_ = schedule;
      sinceUtcMs_ = takenUtcMs;
    }
    groupSizes(map, sizes_);
    count(kAll);
    if (light == monitor::LightState::day) count(kDay);
    if (light == monitor::LightState::night || light == monitor::LightState::infrared)
      count(kNight);
    count(kFirstHour + QDateTime::fromMSecsSinceEpoch(takenUtcMs).time().hour());
  }

  /// Restarts for another source or model.
  void clear() {
    counts_ = {};
    grid_ = {};
    schedule_ = {};
  }

  cv::Size grid() const { return grid_; }  ///< empty: nothing was counted yet
  const Schedule& schedule() const { return schedule_; }
  std::int64_t sinceUtcMs() const { return sinceUtcMs_; }
  std::uint32_t frames(int which) const { return of(which).frames; }
  /// Returns a patch's share, from 0 to 1; 0 without frames.
  double share(int which, int place) const {
    const Counts& counts = of(which);
    if (counts.frames == 0) return 0;
    return counts.merged[static_cast<std::size_t>(place)] / static_cast<double>(counts.frames);
  }

 private:
  struct Counts {
    std::uint32_t frames = 0;
    std::vector<std::uint32_t> merged;  // by place
  };

  const Counts& of(int which) const { return counts_[static_cast<std::size_t>(which)]; }

  void count(int which) {
    Counts& counts = counts_[static_cast<std::size_t>(which)];
    ++counts.frames;
    counts.merged.resize(sizes_.size(), 0);
    for (std::size_t i = 0; i < sizes_.size(); ++i) counts.merged[i] += sizes_[i] > 1 ? 1U : 0U;
  }

  std::array<Counts, kFirstHour + kHours> counts_;
  cv::Size grid_;
  Schedule schedule_;
  std::int64_t sinceUtcMs_ = 0;
  std::pair<std::uint64_t, std::int64_t> last_;  // the frame that was counted last
  std::vector<int> sizes_;
};

}  // namespace mpm::gui
