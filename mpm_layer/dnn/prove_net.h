// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "dnn/host.h"
#include "onnx/graph/model.h"
#include "onnx/operators/values.h"

namespace mpm::dnn {

/// What a net is to give, noted before its model is rewritten.
class Proof {
 public:
  /// `image`: the input that takes pictures, of these dims (-1: open), where they are others than
  /// the model's. Where a model is made for another input size, its own shapes say nothing.
  Proof(const onnx::Model& model, const std::string& image, const onnx::Integers& imageDims,
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

}  // namespace mpm::dnn
