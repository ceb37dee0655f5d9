// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dnn/device.h"
#include "dnn/host.h"
#include "dnn/weights.h"
#include "mpm/net.h"
#include "onnx/graph/model.h"
#include "onnx/layers/rewrite_model.h"
#include "onnx/operators/values.h"
#include "vit/smooth_block.h"

namespace mpm::dnn {

/// std::invalid_argument where they say nothing of sense.
onnx::RewriteOptions rewriteOptions(const ReadOptions& options);

/// planRewriting; what is wrong with the model begins with its name.
onnx::Rewriting planRewriting(onnx::Model& model, const ReadOptions& options,
                              const std::string& name);

/// What a net is to give, noted before its model is rewritten.
class OutputCheck {
 public:
  /// `image`: the input that takes pictures, of these dims (-1: open), where they are others than
  /// the model's. Where a model is made for another input size, its own shapes say nothing.
  OutputCheck(const onnx::Model& model, const std::string& image, const onnx::Integers& imageDims,
              bool areShapesKnown);

  /// Notes the outputs that the net has.
  void noteOutputs(const onnx::Model& rewritten);

  /// Runs the net on noise: it does without an exception, outputs have ONNX's shapes and are
  /// finite. Why not, in a sentence that begins with `name`: std::runtime_error. An input that is
  /// open in more than its batch cannot be tried, and nothing is said of it.
  void check(cv::dnn::Net& net, const std::string& name) const;

 private:
  struct Input {
    std::string name;
    onnx::Integers dims;  // -1: the batch
    bool isFloat = true;
  };

  std::vector<cv::Mat> run(cv::dnn::Net& net, const std::string& name) const;

  std::vector<Input> inputs_;
  int batch_ = 0;  // pictures that are tried; 0: it cannot be
  std::vector<std::string> outputs_;
  std::unordered_map<std::string, onnx::Integers> outputDims_;  // those that are known
  std::string constant_;                                        // an output that no layer gives
};

/// Ranges of a net's blocks, by their nodes' names.
using NetRanges = std::map<std::string, vit::BlockRanges>;

/// Measures them on these inputs of a net of one input that has not run yet, in float32 on the
/// processor. std::invalid_argument for an input that does not fit or is not finite.
NetRanges measureRanges(cv::dnn::Net& net, const std::vector<cv::Mat>& inputs);

/// Gives each block of a converted model the ranges of its name's, as constants; how many blocks.
int addRanges(onnx::Model& model, const NetRanges& ranges);

/// A model on its way from a file to a net, read and recognised once.
class ModelReading {
 public:
  /// Throws as readNet does for what is wrong with the model; `name` stands for it in sentences.
  ModelReading(onnx::Model model, const std::string& name, const ReadOptions& options);

  const Description& description() const { return description_; }

  /// What readNet makes of it, which computes at this place. Once: the model is used up.
  cv::dnn::Net makeNet(const Place& place);

 private:
  cv::dnn::Net makeRewritten(const Place& place);
  cv::dnn::Net makeConverted(const Place& place);
  cv::dnn::Net importProved(LayerWeights weights, const Place& place);

  onnx::Model model_;
  std::string name_;
  ReadOptions options_;
  std::optional<onnx::Rewriting> rewriting_;  // nothing for a converted file
  std::optional<OutputCheck> proof_;          // where one is asked for
  Description description_;
};

/// mpm::convert, with further metadata for the file.
void convert(const std::string& from, const std::string& to, const ReadOptions& options,
             const std::vector<cv::Mat>& calibration,
             const std::map<std::string, std::string>& metadata);

/// What a model tells of itself; `rewriting` is null for a converted one.
Description descriptionOf(const onnx::Model& model, const onnx::Rewriting* rewriting);

/// An OpenCV message as part of a sentence.
std::string firstLine(std::string message);

}  // namespace mpm::dnn
