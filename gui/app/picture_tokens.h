// SPDX-License-Identifier: Apache-2.0
// Wherever the app counts tokens, it counts those of the picture. The record's rows have special
// ones among them (a class token, registers), of which no picture shows any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/engine/frame_result.h"
#include "monitor/statistics/statistics.h"

namespace mpm::gui {

struct LiveTokens {
  double live, all;    ///< behind the last merge, and before the first
  double special;      ///< rows that are not among them
  std::int64_t ageMs;  ///< of the frame that told, beside the one asked for
};

/// Of a frame, or with a memory of the newest one that tells. Nothing: no frame told yet, or the
/// model cannot merge.
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
/// special rows. Any other metric stays as it is.
class PictureTokens {
 public:
  /// By these a bucket tells how many of its rows are special.
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
  /// What is needed of each bucket, in this order.
  const std::vector<std::string>& names() const { return names_; }
  std::size_t place() const { return place_; }  ///< among them, of what was asked for

  /// Buckets of one model, with kMetrics in front: `rows.0`, `live_rows` and what was asked for
  /// lose their special rows. `usual`: how many these are where no bucket tells, as nothing merged;
  /// without it they are left empty. How many they are in the end: of what follows, `usual`.
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
