// SPDX-License-Identifier: Apache-2.0
// What frames tell: how long they take, and how many tokens of the picture are left. Wherever the
// app counts tokens, it counts those of the picture: the record's rows have special ones among them
// (a class token, registers), of which no picture shows any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "monitor/engine/frame_result.h"
#include "monitor/statistics/statistics.h"
#include "mpm/segmenter.h"

namespace mpm::gui {

/// The most frames of a source that the app averages over as "lately".
constexpr std::size_t kFramesLately = 120;

/// Returns a frame's time as the app always states it: from the image to its labels.
inline double frameMs(const SegmenterTimes& times) {
  return times.prepareMs + times.networkMs + times.labelsMs;
}

/// Tells whether a frame is of a replay; both of its times are then the file's.
inline bool isReplayed(const monitor::FrameResult& result) {
  return result.frame.taken.steadyMs == result.frame.taken.utcMs;
}

/// Returns milliseconds since a frame was taken, or in a replay since it was ready.
inline std::int64_t ageOf(const monitor::FrameResult& result, std::int64_t steadyMs) {
  return steadyMs - (isReplayed(result) ? result.readyMs : result.frame.taken.steadyMs);
}

/// Recent times of one source's frames. Each figure is the mean over the same frames, so that
/// figures side by side add up: a step is no longer than its frame, a frame no longer than its age.
/// It covers as many frames as the strip's time, without the first, which also allocates buffers.
/// It restarts when the schedule, the memory or a simulated night changes, as the strip does.
class FrameTimes {
 public:
  /// Means, in milliseconds.
  struct Means {
    SegmenterTimes frame{};
    double viewsMs = 0;  ///< what the window took of it, beside the next frame
    double ageMs = 0;    ///< from the camera to its labels
    std::vector<NetworkStep> steps;
  };

  /// Adds a frame that was shown, which took the window `viewsMs`. A frame that was added already
  /// does not count again.
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
    const auto age = static_cast<double>(ageOf(shown, shown.readyMs));
    lately_.push_back({shown.segmentation.times, viewsMs,
                       std::max(age, frameMs(shown.segmentation.times)), shown.segmentation.steps});
    if (lately_.size() > kFramesLately) lately_.pop_front();
  }

  void clear() { lately_.clear(); }
  bool empty() const { return lately_.empty(); }
  const Schedule& schedule() const { return schedule_; }  ///< of them all

  /// Returns the means; at least one frame is needed.
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

struct LiveTokens {
  double live, all;    ///< behind the last merge, and before the first
  double special;      ///< rows that are not among them
  std::int64_t ageMs;  ///< of the frame that told, beside the one asked for
};

/// Counts a frame's tokens, or with a memory those of the newest frame that has counts. Returns
/// std::nullopt if no frame had any yet, or the model cannot merge.
inline std::optional<LiveTokens> countTokens(const monitor::FrameResult& newest) {
  const monitor::FrameResult& told = newest.merged ? *newest.merged : newest;
  const Segmentation& found = told.segmentation;
  if (found.rows.empty() || found.mergeMap.empty()) return std::nullopt;
  const double all = static_cast<double>(found.mergeMap.total()) * found.windows;
  const double special = found.rows.front() - all;
  return LiveTokens{found.rows.back() - special, all, special,
                    newest.frame.taken.steadyMs - told.frame.taken.steadyMs};
}

/// Tokens over time: "live_tokens" and "tokens.N" are the metrics "live_rows" and "rows.N" without
/// prefix tokens. Any other metric stays as it is.
class PictureTokens {
 public:
  /// The metrics from which a bucket's number of prefix tokens follows.
  static constexpr std::array kMetrics{"rows.0", "live_rows", "merged_share"};

  explicit PictureTokens(const std::string& metric) {
    counts_ = metric == "live_tokens" || metric.rfind("tokens.", 0) == 0;
    const std::string own = !counts_                  ? metric
                            : metric == "live_tokens" ? "live_rows"
                                                      : "rows." + metric.substr(7);
    if (counts_) names_ = {kMetrics.begin(), kMetrics.end()};
    const auto found = std::find(names_.begin(), names_.end(), own);
    place_ = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(own);
  }

  bool counts() const { return counts_; }
  /// Returns the metrics to ask for in each bucket, in this order.
  const std::vector<std::string>& names() const { return names_; }
  std::size_t place() const { return place_; }  ///< among them, of what was asked for

  /// Takes the prefix tokens out of `rows.0`, `live_rows` and the requested metrics of one model's
  /// buckets, which have kMetrics in front. `usual` is their number where no bucket tells, as
  /// nothing merged; without it those are left empty. Returns the number that was used last.
  template <typename Buckets>
  std::optional<double> reduce(Buckets& buckets, std::optional<double> usual) const {
    if (!counts_) return usual;
    const auto told = [](const monitor::Bucket& bucket) {
      return monitor::specialRows(bucket.tallies[0], bucket.tallies[1], bucket.tallies[2]);
    };
    const auto first = std::find_if(buckets.begin(), buckets.end(),
                                    [&](const auto& bucket) { return told(bucket).has_value(); });
    if (first != buckets.end()) usual = told(*first);
    for (monitor::Bucket& bucket : buckets) {
      if (const auto special = told(bucket)) usual = special;
      const auto reduceOne = [&](monitor::Tally& rows) {
        if (rows.count > 0) rows = usual ? monitor::lessBy(rows, *usual) : monitor::Tally{};
      };
      reduceOne(bucket.tallies[0]);
      reduceOne(bucket.tallies[1]);
      if (place_ >= kMetrics.size()) reduceOne(bucket.tallies[place_]);
    }
    return usual;
  }

 private:
  bool counts_;
  std::vector<std::string> names_;
  std::size_t place_;
};

}  // namespace mpm::gui
