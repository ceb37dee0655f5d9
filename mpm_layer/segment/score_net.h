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

/// Class scores from learned queries (MaskFormer, Mask2Former, EoMT) at each place. A query has a
/// mask and a softmax over K classes and, last, "none of them". A class's weight at a place is the
/// sum over queries of its probability times the sigmoid of the mask. The largest weight is the
/// label, as in transformers' semantic segmentation. The score is the logarithm, so that a softmax
/// of scores gives the class's share of all weights.
class QueryScores {
 public:
  /// Takes classes [1, Q, K + 1] and masks [1, Q, h, w]. Returns a row of K scores for each of h x
  /// w places, valid until the next call.
  const float* rows(const cv::Mat& classes, const cv::Mat& masks);

 private:
  cv::Mat weights_, shares_, places_;  // [K x Q], [Q x places], [places x Q]
  cv::Mat scores_;                     // [places x K]
};

/// Result of a forward. It belongs to the net and is valid until the next forward.
struct NetScores {
  ScoreGrid grid;
  std::size_t values = 0;         ///< floats that the grid may read
  std::vector<std::int32_t> map;  ///< of the image tokens; empty where the model cannot merge, and
                                  ///< of a memory's fresh rows, which then are all there is

  /// Returns the scores of an image token, if the grid has rows.
  const float* at(std::size_t place, std::size_t classes) const {
    const std::size_t row = grid.map == nullptr ? place : static_cast<std::size_t>(grid.map[place]);
    return grid.scores + row * classes;
  }
};

/// Meaning of a model's outputs.
enum class OutputKind {
  scores,   ///< of classes, at places: [1, K, h, w]
  queries,  ///< [1, Q, K + 1] of classes and [1, Q, h, w] of masks
  values    ///< one at each place, of depth for example: [1, h, w] or [1, 1, h, w]
};

/// Presents a segmentation model as scores on a grid. If live rows lead to a restore and values are
/// then only moved and upsampled, the grid is that of the image tokens. The scores are then those
/// of the live rows, and the rest of the net is not computed. If a constant or rows of another
/// depth are added at each place, the scores are those of the places. Otherwise the grid is the
/// model's first output, or the sum of its queries.
class MPM_API ScoreNet {
 public:
  /// Inspects the output by shapes, and runs the layers after live scores alone, on noise. Throws
  /// std::runtime_error with `name` if it is no map of scores.
  ScoreNet(cv::dnn::Net net, const Description& model, const std::string& name);

  OutputKind gives() const { return gives_; }
  int classes() const { return classes_; }  ///< none of values, which stand where scores would
  cv::Size grid() const { return grid_; }
  bool isLive() const { return live_.has_value(); }
  /// Returns the last layer that a forward computes; empty if it computes all.
  std::string lastLayer() const { return live_ ? live_->parts.back().scores : std::string(); }
  cv::dnn::Net& net() { return net_; }

  /// Runs a blob [1, 3, height, width]. The first call also prepares the net and takes longer.
  /// Throws std::runtime_error if OpenCV cannot run it. With a memory it computes the rows that the
  /// memory expects, which needs an empty memoryFault().
  const NetScores& forward(const cv::Mat& blob, dnn::NetMemory* memory = nullptr);
  /// Returns in one sentence why forwards cannot use a memory; empty if they can.
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
