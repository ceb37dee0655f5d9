// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    if (!measuring) {
      keep(merged_, frameMs(compared->segmentation.times), kComparisons);
      keep(full_, frameMs(compared->full->times), kComparisons);
    }
    keep(same_, agreementOf(compared->full->labels, compared->segmentation.labels) * 100, kFrames);
  }

  /// Percent of tokens that merging saves.
  static double fewerOf(const LiveTokens& count) { return (1 - count.live / count.all) * 100; }

  bool any() const { return any_; }  ///< whether a frame came at all
  bool merges() const { return !schedule_.empty(); }
  bool remembers() const { return remembers_; }
  const MemoryReport& memory() const { return memory_; }  ///< of the newest frame
  const std::optional<LiveTokens>& tokens() const { return tokens_; }
  /// Whether enough frames were segmented with full tokens as well.
  bool compares() const { return full_.size() >= kLeast; }
  double fullMs() const { return medianOf(full_); }
  /// With a memory frames differ by what moves: the mean of all of them, but for the first.
  double nowMs() const {
    if (!remembers_) return medianOf(merged_);
    return std::accumulate(ms_.begin() + 1, ms_.end(), 0.0) / static_cast<double>(ms_.size() - 1);
  }

  /// Percent of tokens that merging saves, percent computed, milliseconds; percent of pixels of
  /// frames that were compared.
  const Line& fewer() const { return fewer_; }
  const Line& fresh() const { return fresh_; }
  const Line& ms() const { return ms_; }
  const Line& same() const { return same_; }

 private:
  static constexpr std::size_t kFrames = kFramesLately, kComparisons = 9, kLeast = 2;

  static void keep(Line& values, double value, std::size_t most) {
    values.push_back(value);
    if (values.size() > most) values.pop_front();
  }

  // Without the first, which also lays out what the others use again.
  static double medianOf(const Line& values) {
    return tune::median({values.begin() + 1, values.end()});
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
  Line fewer_, fresh_, ms_, merged_, full_, same_;      // of merged_ and full_: milliseconds
};

}  // namespace mpm::gui
