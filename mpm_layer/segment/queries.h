// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::segment {

/// What learned queries (MaskFormer's, Mask2Former's, EoMT's) say of classes, place by place. A
/// query has a softmax over K classes and "none of them", the last, and a mask. A class's weight at
/// a place is the sum of its probability over the queries, each times the sigmoid of its mask
/// there, which is what transformers' semantic segmentation looks for the largest of. Its score is
/// the logarithm, so that the softmax of scores is the class's share of all weights.
class QueryScores {
 public:
  /// Of classes [1, Q, K + 1] and masks [1, Q, h, w]: a row of K scores for each of h x w places,
  /// which holds until the next call.
  const float* rows(const cv::Mat& classes, const cv::Mat& masks);

 private:
  cv::Mat weights_, shares_, places_;  // [K x Q], [Q x places], [places x Q]
  cv::Mat scores_;                     // [places x K]
};

}  // namespace mpm::segment
