// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "mpm/export.h"

/// Labels of a fixed camera from one frame to the next: how often they change where the picture
/// does not, and a vote that steadies them.
///
///   mpm::StillPlaces places;  // one of each for each camera
///   mpm::LabelVote vote;
///   while (camera.read(frame)) {
///     const cv::Mat& still = places.look(frame);
///     show(vote.update(still, segmenter.segment(frame).labels));
///   }
namespace mpm {

/// Finds where a picture stands still. Not from two threads at once.
class MPM_API StillPlaces {
 public:
  /// Returns CV_8U of the frame's size: 255 where the grey values (means of 3 x 3 pixels) within 7
  /// pixels differ by less than 4 of 255 from the frame before, else 0. All 0 in the first frame
  /// and in one of another size. Of a frame with a side over 1024 a smaller copy is looked at.
  /// `frame`: as Segmenter::segment takes it. The Mat holds until the next call.
  const cv::Mat& look(const cv::Mat& frame);

 private:
  cv::Mat before_, still_;
};

/// Counts pixels that stand still, and those among them whose label changed.
struct MPM_API Flicker {
  double still = 0, changed = 0;

  /// `still`: of StillPlaces. `before`, `labels`: of the frame before and of this one; a frame
  /// without one before it, or with one of another size or type, does not count.
  void add(const cv::Mat& still, const cv::Mat& before, const cv::Mat& labels);

  /// Returns the share that changed, from 0 to 1; nothing where no pixel stood still.
  std::optional<double> share() const;
};

/// Steadies labels without a scene memory. A pixel has the label that most of the last five frames
/// gave it since it last moved; in a tie, the one it was shown with. Where the picture moves, a
/// new label shows at once. Not from two threads at once.
class MPM_API LabelVote {
 public:
  static constexpr std::size_t kFrames = 5;

  /// `still`: of StillPlaces. `labels`: CV_8U or CV_16U, of the same size. Returns a Mat of its
  /// own.
  cv::Mat update(const cv::Mat& still, const cv::Mat& labels);

 private:
  std::vector<cv::Mat> given_;  ///< of the last frames, one after the other in turn
  cv::Mat votes_, shown_;       ///< votes_: CV_8U, how many of them count
  std::size_t newest_ = 0;
};

}  // namespace mpm
