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

  /// Notes the layers that the model's nodes become.
  void noteLayers(const onnx::Model& rewritten);

  /// Runs the net on noise, one picture and, where the batch is open, two: it does without an
  /// exception, outputs have ONNX's shapes and are finite, and a picture gives what it gave alone.
  /// Why not, in a sentence that begins with `name`: std::runtime_error. An input that is open in
  /// more than its batch cannot be tried, and nothing is said of it.
  void check(cv::dnn::Net& net, const std::string& name) const;

 private:
  struct Input {
    std::string name;
    onnx::Integers dims;  // -1: the batch
    bool isFloat = true;
  };
  struct Layer {
    std::string name, text;
    std::vector<std::string> outputs;
  };
  struct Batch {
    int size = 1;
    std::unordered_map<std::string, onnx::Integers> dims;  // of every value that is known
  };

  std::vector<cv::Mat> run(cv::dnn::Net& net, const Batch& batch, const std::string& name) const;
  void checkOutputs(cv::dnn::Net& net, const Batch& batch, const std::vector<cv::Mat>& made,
                    const std::string& name) const;
  std::string whereItStops(cv::dnn::Net& net, const Batch& batch) const;
  std::string whereShapesDiffer(cv::dnn::Net& net, const Batch& batch) const;
  std::vector<Shape> inputShapes(const Batch& batch) const;

  std::vector<Input> inputs_;
  std::vector<std::string> outputs_;
  std::string constant_;  // one of them that no layer gives
  std::vector<Layer> layers_;
  std::vector<Batch> batches_;  // empty where it cannot be tried
};

}  // namespace mpm::dnn
