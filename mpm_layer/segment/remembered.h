// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "dnn/net_memory.h"
#include "mpm/scene_memory.h"
#include "mpm/schedule.h"
#include "segment/patch_watch.h"
#include "segment/score_net.h"

namespace mpm {

/// Handles a frame in two steps. begin() looks at it and tells the forward what to compute; end()
/// combines the results with what is remembered.
class SceneMemory::Impl {
 public:
  /// Properties of a frame. If one differs from the last frame's, nothing is remembered.
  struct Setting {
    cv::Size frame;
    Schedule schedule;

    bool operator==(const Setting&) const = default;
  };

  /// `segmenter` is a number that identifies it. `net` has the grid of the image tokens.
  Impl(std::uint64_t segmenter, const segment::ScoreNet& net, int patch,
       const segment::Colours& colours);

  std::uint64_t segmenter() const { return segmenter_; }
  dnn::NetMemory& net() { return net_; }

  void begin(const Setting& setting, const float* planes);
  /// Returns scores that refer to `scores`, or to what is kept here.
  segment::NetScores end(const segment::NetScores& scores);
  const MemoryReport& report() const { return report_; }
  /// Writes the age of each patch, as Segmentation::patchAges.
  void putAges(std::int32_t* ages) const;

  void audit() { isAsked_ = true; }

  /// Marks the patches whose scores end() changed.
  const std::uint8_t* changed() const { return isFresh_.data(); }

  /// Labels of the last frame.
  cv::Mat labels, confidence;

  void forget();
  std::size_t bytes() const;

 private:
  void choose();
  void takeTurns(std::vector<std::int32_t> rest);
  void noteComputed(std::size_t patch, bool isMerged);
  void keepAll(const segment::NetScores& scores);
  void keepFresh(const segment::NetScores& scores);
  segment::NetScores keepChanged(const segment::NetScores& scores);
  segment::NetScores remembered();
  bool compare(const segment::NetScores& scores);
  bool takes(std::size_t patch, const float* scores);

  std::uint64_t segmenter_;
  std::size_t patches_, classes_;
  dnn::NetMemory net_;
  segment::PatchWatch watch_;

  bool isFilled_ = false;
  std::optional<Setting> setting_;
  std::int64_t frame_ = 0;
  std::vector<std::int64_t> computed_;  // the frame that computed each patch last
  std::vector<float> scores_;           // [patches x classes]
  std::vector<float> doubt_;            // how unsure each patch's label is, from 0 to 1
  std::vector<std::uint8_t> isMerged_;  // whether a patch's scores are those of a merged token
  double saved_ = 0;                    // for the next comparison, in costs
  float strictness_ = 1;
  double stale_ = 0;  // share of the last turns that found a sure label to be another one

  // State of the frame between begin() and end().
  bool isFull_ = true;
  bool isAsked_ = false;             // for the next frame to be an audit
  bool isAudit_ = false;             // full, to compare
  std::vector<std::int32_t> fresh_;  // patches that have to be computed, ascending
  std::vector<std::uint8_t> isFresh_;
  MemoryReport report_;
};

}  // namespace mpm
