// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"
#include "mpm/rows.h"

namespace mpm::dnn {

/// A layer from tokens [B, R, D] (rows (map)) to one blob, image by image, on live rows only.
/// What its kinds share: names, shapes, checks, the loop.
class TokenLayer : public cv::dnn::Layer {
 public:
  bool getMemoryShapes(const std::vector<cv::dnn::MatShape>& inputs, const int requiredOutputs,
                       std::vector<cv::dnn::MatShape>& outputs,
                       std::vector<cv::dnn::MatShape>& internals) const final;
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) final;

 protected:
  /// One image of a forward.
  struct Image {
    ConstRows tokens;            ///< its live rows, special ones included
    const float* map = nullptr;  ///< [N], or null
    float* out = nullptr;        ///< its part of the output
  };

  /// `inputs`: the names in the order that the attribute "inputs" replaces.
  TokenLayer(const char* kind, const cv::dnn::LayerParams& params, const char* inputs);

  /// The shape of the output. shapeOf(name): of an input or constant, or null.
  using ShapeOf = std::function<const cv::dnn::MatShape*(const std::string&)>;
  virtual cv::dnn::MatShape outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const = 0;

  /// Reads the weights of a forward, and checks them.
  virtual void readWeights(const LayerInputs& inputs, const TokenShape& shape) = 0;
  virtual void forwardImage(const TokenShape& shape, const Image& image) = 0;

  /// A shape that has to be there.
  const cv::dnn::MatShape& need(const ShapeOf& shapeOf, const std::string& input) const;

  LayerIdentity identity_;

 private:
  TokenShape checkTokens(const std::vector<cv::dnn::MatShape>& shapes) const;

  NamedInputs names_;
  int special_ = -1;
};

}  // namespace mpm::dnn
