// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gui/app/frame_times.h"
#include "gui/app/picture_tokens.h"
#include "mpm/tune.h"
#include "tune/median.h"

namespace mpm::gui {

/// What a source's frames told lately of what merging and the memory save: of one schedule, with a
/// memory or without one, of a simulated night or not. Where one of them changes it begins anew.
class GlanceFigures {
 public:
  using Line = std::deque<double>;

  /// Each new frame of the source. `compared`: the newest with full tokens, or null. `measuring`:
  /// schedules are being timed beside it, so how long it took does not count.
  void add(const monitor::FrameResult& newest, const monitor::FrameResultPtr& compared,
           bool measuring = false) {
    if (newest.schedule != schedule_ || newest.remembers != remembers_ ||
        newest.filtered != filtered_) {
      *this = {};
      schedule_ = newest.schedule;
      remembers_ = newest.remembers;
      filtered_ = newest.filtered;
    }
    any_ = true;
    if (remembers_) {
      memory_ = newest.segmentation.memory;
      keep(fresh_, 100.0 * memory_.fresh / memory_.rows, kFrames);
    }
    if (merges()) addTokens(newest);
    if (!merges() && !remembers_) return;
    if (!measuring) keep(ms_, frameMs(newest.segmentation.times), kFrames);
    if (!compared || !compared->full || compared->schedule != schedule_ ||
        compared->remembers != remembers_ || compared->filtered != filtered_ ||
        compared == compared_.lock())
      return;
    compared_ = compared;
    if (!measuring) addPair(*compared);
    keep(same_, agreementOf(compared->full->labels, compared->segmentation.labels) * 100, kFrames);
    if (compared->floor) keep(floor_, *compared->floor * 100, kComparisons);
  }

  /// Percent of tokens that merging saves.
  static double fewerOf(const LiveTokens& count) { return (1 - count.live / count.all) * 100; }

  bool any() const { return any_; }  ///< whether a frame came at all
  bool merges() const { return !schedule_.empty(); }
  bool remembers() const { return remembers_; }
  const MemoryReport& memory() const { return memory_; }  ///< of the newest frame
  const std::optional<LiveTokens>& tokens() const { return tokens_; }
  /// Whether frames were segmented with full tokens as well: all below holds from then on.
  bool compares() const { return !less_.empty(); }
  /// What a frame takes: with a memory the mean of recent ones but the first, else of those that
  /// were compared.
  double nowMs() const {
    if (!remembers_) return medianOf(full_) * shareOfTime();
    return std::accumulate(ms_.begin() + 1, ms_.end(), 0.0) / static_cast<double>(ms_.size() - 1);
  }
  double fullMs() const { return nowMs() / shareOfTime(); }
  /// Percent of the time that is saved, the median of the comparisons, and where that median lies
  /// about 19 times in 20. Each compares what was measured side by side, under the same load.
  double lessTime() const { return medianOf(less_); }
  tune::MedianRange lessTimeRange() const {
    return tune::medianRange({less_.begin(), less_.end()});
  }

  /// Percent of tokens that merging saves, percent computed; of frames that were compared, percent
  /// of the time that was saved and of pixels.
  const Line& fewer() const { return fewer_; }
  const Line& fresh() const { return fresh_; }
  const Line& less() const { return less_; }
  const Line& same() const { return same_; }
  /// Percent of pixels that full tokens label the same when the picture is moved by a pixel;
  /// nothing: not known yet.
  std::optional<double> floor() const {
    return floor_.empty() ? std::nullopt : std::optional(medianOf(floor_));
  }

 private:
  static constexpr std::size_t kFrames = kFramesLately, kComparisons = 9, kAround = 8;

  static void keep(Line& values, double value, std::size_t most) {
    values.push_back(value);
    if (values.size() > most) values.pop_front();
  }

  static double medianOf(const Line& values) {
    return tune::median({values.begin(), values.end()});
  }

  double shareOfTime() const { return 1 - medianOf(less_) / 100; }

  // A frame beside full tokens, but for the first, which also lays out what the others use again.
  // With a memory frames differ by what moves: then it is the mean of the last few, without the
  // source's first, which is full.
  void addPair(const monitor::FrameResult& compared) {
    if (std::exchange(pairs_, pairs_ + 1) == 0) return;
    const double full = frameMs(compared.full->times);
    double now = frameMs(compared.segmentation.times);
    if (remembers_ && ms_.size() > 1) {
      const std::size_t frames = std::min(kAround, ms_.size() - 1);
      const auto first = ms_.end() - static_cast<std::ptrdiff_t>(frames);
      now = std::accumulate(first, ms_.end(), 0.0) / static_cast<double>(frames);
    }
    keep(full_, full, kComparisons);
    keep(less_, (1 - now / full) * 100, kComparisons);
  }

  // With a memory of the newest frame that tells, with its age.
  void addTokens(const monitor::FrameResult& newest) {
    const auto count = countTokens(newest);
    if (!count) return;
    const monitor::FrameResult& told = newest.merged ? *newest.merged : newest;
    const std::pair number(told.frame.number, told.frame.taken.steadyMs);
    if (!remembers_ || counted_ != number) keep(fewer_, fewerOf(*count), kFrames);
    counted_ = number;
    tokens_ = count;
  }

  bool any_ = false, remembers_ = false, filtered_ = false;
  Schedule schedule_;
  MemoryReport memory_{};
  std::optional<LiveTokens> tokens_;
  std::pair<std::uint64_t, std::int64_t> counted_;      // the frame whose tokens were counted last
  std::weak_ptr<const monitor::FrameResult> compared_;  // the newest that was
  int pairs_ = 0;
  Line fewer_, fresh_, ms_, full_, less_, same_, floor_;  // of ms_ and full_: milliseconds
};

}  // namespace mpm::gui
