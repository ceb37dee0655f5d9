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

/// Throws std::invalid_argument if the options make no sense.
onnx::RewriteOptions rewriteOptions(const ReadOptions& options);

/// Plans the rewriting of a model; errors in the model begin with `name`.
onnx::Rewriting planRewriting(onnx::Model& model, const ReadOptions& options,
                              const std::string& name);

/// Expected outputs of a net, noted before its model is rewritten.
class OutputCheck {
 public:
  /// `image`: the input that takes pictures, with `imageDims` (-1: open) instead of its own; "":
  /// none. areShapesKnown: false for a model that was made for another input size.
  OutputCheck(const onnx::Model& model, const std::string& image, const onnx::Integers& imageDims,
              bool areShapesKnown);

  /// Notes the outputs that the net has.
  void noteOutputs(const onnx::Model& rewritten);

  /// Runs the net on noise. Throws std::runtime_error, with a sentence that begins with `name`, if
  /// that fails or an output is not finite or of ONNX's shape. Does nothing if an input is open in
  /// more than its batch.
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

/// Measures ranges on these inputs, in float32 on the processor. The net has one input and has not
/// run yet. Throws std::invalid_argument if an input does not fit or is not finite.
NetRanges measureRanges(cv::dnn::Net& net, const std::vector<cv::Mat>& inputs);

/// Gives each block of a converted model the ranges of its name, as constants. Returns their count.
int addRanges(onnx::Model& model, const NetRanges& ranges);

/// A model on its way from a file to a net, read and recognised once.
class ModelReading {
 public:
  /// Throws as readNet does for errors in the model; `name` stands for it in sentences.
  ModelReading(onnx::Model model, const std::string& name, const ReadOptions& options);

  const Description& description() const { return description_; }

  /// Makes the net of readNet, which computes at this place. Call it once: it uses up the model.
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

/// Implements mpm::convert, with further metadata for the file.
void convert(const std::string& from, const std::string& to, const ReadOptions& options,
             const std::vector<cv::Mat>& calibration,
             const std::map<std::string, std::string>& metadata);

/// Describes a model; `rewriting` is null for a converted one.
Description descriptionOf(const onnx::Model& model, const onnx::Rewriting* rewriting);

/// Returns an OpenCV message as part of a sentence.
std::string firstLine(std::string message);

}  // namespace mpm::dnn
