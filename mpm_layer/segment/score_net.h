// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dnn/net_memory.h"
#include "mpm/net.h"
#include "segment/labels.h"
#include "segment/live_scores.h"

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

/// What a forward gave; it lies in the net, and holds until the next one.
struct NetScores {
  ScoreGrid grid;
  std::size_t values = 0;         ///< floats that the grid may read
  std::vector<std::int32_t> map;  ///< of the image tokens; empty where the model cannot merge, and
                                  ///< of a memory's fresh rows, which then are all there is

  /// Those of an image token, where the grid has rows.
  const float* at(std::size_t place, std::size_t classes) const {
    const std::size_t row = grid.map == nullptr ? place : static_cast<std::size_t>(grid.map[place]);
    return grid.scores + row * classes;
  }
};

/// What a model's outputs are.
enum class OutputKind {
  scores,   ///< of classes, at places: [1, K, h, w]
  queries,  ///< [1, Q, K + 1] of classes and [1, Q, h, w] of masks
  values    ///< one at each place, of depth for example: [1, h, w] or [1, 1, h, w]
};

/// A segmentation model as scores on a grid. Where the net is one of live rows all the way to a
/// restore, behind which values are only moved to their places and upsampled, the grid is that of
/// the image tokens and the scores are those of the live rows: what stands behind them in the net
/// is not computed. Where something is added at each place, a constant or rows of another depth,
/// the scores are those of the places. Otherwise the grid is the model's first output, or what its
/// queries add up to.
class MPM_API ScoreNet {
 public:
  /// Looks what its output is made of, by shapes; what is behind live scores runs alone, on noise.
  /// std::runtime_error with `name` where that is no map of scores.
  ScoreNet(cv::dnn::Net net, const Description& model, const std::string& name);

  OutputKind gives() const { return gives_; }
  int classes() const { return classes_; }  ///< none of values, which stand where scores would
  cv::Size grid() const { return grid_; }
  bool isLive() const { return live_.has_value(); }
  /// The last layer that a forward computes; empty: all of them are.
  std::string lastLayer() const { return live_ ? live_->parts.back().scores : std::string(); }
  cv::dnn::Net& net() { return net_; }

  /// Of a blob [1, 3, height, width]. The first one makes the net ready, which takes longer; where
  /// OpenCV cannot run it at all, it is a std::runtime_error. With a memory, of the rows that it
  /// expects; there must be no memoryFault() then.
  const NetScores& forward(const cv::Mat& blob, dnn::NetMemory* memory = nullptr);
  /// Why forwards cannot use a memory, in one sentence; empty where they can.
  std::string memoryFault() const;

 private:
  template <class Run>
  void running(const Run& run) const;
  void look(const Description& model);
  bool lookForQueries(const Description& model, const std::vector<int>& first);
  bool lookForValues(const Description& model, const std::vector<int>& first);
  void lookForLiveScores(const Description& model);
  [[noreturn]] void refuseOutput(const std::vector<int>& shape) const;
  void forwardLive(const dnn::NetMemory* memory);
  void startPlaces(const std::vector<std::int32_t>* fresh);
  void addToPlaces(const NetScores& part);
  void forwardOutput();
  void checkFloats(const cv::Mat& output) const;

  cv::dnn::Net net_;
  std::string name_, output_;
  bool hasRun_ = false;
  bool hasMap_ = false;
  OutputKind gives_ = OutputKind::scores;
  QueryScores queries_;
  int classes_ = 0;
  cv::Size grid_;
  std::optional<LiveScores> live_;
  cv::Mat offsets_, places_;  // what is added at each place; the sums where they are of several
  std::optional<dnn::RememberingLayers> layers_;  // in front of live scores
  std::vector<cv::String> names_;                 // of the layers that are asked for
  std::vector<std::vector<cv::Mat>> blobs_;       // their outputs
  NetScores scores_;
};

}  // namespace mpm::segment
