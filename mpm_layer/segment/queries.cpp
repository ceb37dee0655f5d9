// SPDX-License-Identifier: Apache-2.0
#include "segment/score_net.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "vit/linear.h"

namespace mpm::segment {
namespace {

// Under the logarithm, where no query claims a place: smaller than any share that float32 tells.
constexpr double kNothing = 1e-30;

// Of each query's K + 1 logits the softmax of the first K, a column for each query.
void classWeights(const cv::Mat& logits, cv::Mat& weights) {
  const int queries = logits.size[1], classes = logits.size[2] - 1;
  weights.create(classes, queries, CV_32F);
  for (int q = 0; q < queries; ++q) {
    const float* own = logits.ptr<float>(0, q);
    const float best = *std::max_element(own, own + classes + 1);
    double sum = 0;
    for (int k = 0; k <= classes; ++k) sum += std::exp(static_cast<double>(own[k] - best));
    for (int k = 0; k < classes; ++k) {
      weights.at<float>(k, q) =
          static_cast<float>(std::exp(static_cast<double>(own[k] - best)) / sum);
    }
  }
}

ConstRows rowsOf(const cv::Mat& mat) {
  return {mat.ptr<float>(), static_cast<std::size_t>(mat.rows), static_cast<std::size_t>(mat.cols)};
}

}  // namespace

const float* QueryScores::rows(const cv::Mat& classes, const cv::Mat& masks) {
  classWeights(classes, weights_);
  const cv::Mat logits(masks.size[1], masks.size[2] * masks.size[3], CV_32F,
                       const_cast<float*>(masks.ptr<float>()));
  logits.convertTo(shares_, CV_32F, -1);
  cv::exp(shares_, shares_);
  shares_.convertTo(shares_, CV_32F, 1, 1);
  cv::divide(1.0, shares_, shares_);
  cv::transpose(shares_, places_);
  scores_.create(places_.rows, weights_.rows, CV_32F);
  const vit::PackedLinear weigh({rowsOf(weights_), nullptr}, vit::Precision::fp32);
  vit::linearCpu(rowsOf(places_), weigh,
                 {scores_.ptr<float>(), static_cast<std::size_t>(scores_.rows),
                  static_cast<std::size_t>(scores_.cols)});
  scores_.convertTo(scores_, CV_32F, 1, kNothing);
  cv::log(scores_, scores_);
  return scores_.ptr<float>();
}

}  // namespace mpm::segment
