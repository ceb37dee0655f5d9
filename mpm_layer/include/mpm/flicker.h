// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "mpm/export.h"

/// Measures how often a fixed camera's labels change where its picture does not, and steadies them
/// by a vote.
///
///   mpm::StillPlaces places;  // one pair for each camera
///   mpm::LabelVote vote;
///   while (camera.read(frame)) {
///     const cv::Mat& still = places.look(frame);
///     show(vote.update(still, segmenter.segment(frame).labels));
///   }
namespace mpm {

/// Finds where a picture stands still. Not from two threads at once.
class MPM_API StillPlaces {
 public:
  /// Returns CV_8U of the frame's size: 255 where the picture stands still, else 0. It does if,
  /// within 7 pixels, the grey values (means of 3 x 3 pixels) change by less than 4 of 255. All 0
  /// for the first frame and after a change of size. Frames with a side over 1024 are shrunk first.
  /// `frame`: as Segmenter::segment takes it. The Mat is valid until the next call.
  const cv::Mat& look(const cv::Mat& frame);

 private:
  cv::Mat before_, still_;
};

/// Counts pixels that stand still, and those among them whose label changed.
struct MPM_API Flicker {
  double still = 0, changed = 0;

  /// Counts a frame. `still`: from StillPlaces. `before`, `labels`: labels of the frame before and
  /// of this one. Without labels before it, or with ones of another size or type, a frame does not
  /// count.
  void add(const cv::Mat& still, const cv::Mat& before, const cv::Mat& labels);

  /// Returns the share that changed, from 0 to 1; std::nullopt if no pixel stood still.
  std::optional<double> share() const;
};

/// Steadies labels without a scene memory. A pixel gets the label that it had in most of the last
/// five frames since it last moved. In a tie, it keeps the label that was last shown. Where the
/// picture moves, a new label shows at once. Not from two threads at once.
class MPM_API LabelVote {
 public:
  static constexpr std::size_t kFrames = 5;

  /// Returns the steadied labels, in a new Mat. `still`: from StillPlaces. `labels`: CV_8U or
  /// CV_16U, of the same size.
  cv::Mat update(const cv::Mat& still, const cv::Mat& labels);

 private:
  std::vector<cv::Mat> given_;  ///< of the last frames, one after the other in turn
  cv::Mat votes_, shown_;       ///< votes_: CV_8U, how many of them count
  std::size_t newest_ = 0;
};

}  // namespace mpm
