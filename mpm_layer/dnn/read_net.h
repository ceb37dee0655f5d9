// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dnn/device.h"
#include "dnn/prove_net.h"
#include "dnn/weights.h"
#include "mpm/net.h"
#include "onnx/layers/rewrite_model.h"

namespace mpm::dnn {

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
  std::optional<Proof> proof_;                // where one is asked for
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
