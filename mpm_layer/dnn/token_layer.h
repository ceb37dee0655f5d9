// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "dnn/device_layer.h"
#include "dnn/layer_inputs.h"
#include "dnn/packing.h"
#include "dnn/token_blobs.h"
#include "mpm/rows.h"

namespace mpm::dnn {

/// A layer from tokens [B, R, D] (rows (map)) to one blob, image by image, on live rows only.
/// What its kinds share: names, shapes, checks, the loop. Some take [B, D] too: one live row for
/// each image.
class TokenLayer : public cv::dnn::Layer, public Packing, public DeviceLayer {
 public:
  bool getMemoryShapes(const std::vector<cv::dnn::MatShape>& inputs, const int requiredOutputs,
                       std::vector<cv::dnn::MatShape>& outputs,
                       std::vector<cv::dnn::MatShape>& internals) const final;
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) final;

  int special() const { return special_; }  ///< -1: what the map leaves over

 protected:
  /// One image of a forward.
  struct Image {
    ConstRows tokens;            ///< its live rows, special ones included
    const float* map = nullptr;  ///< [N], or null
    float* out = nullptr;        ///< its part of the output
  };

  /// Which tokens a kind takes.
  enum class Takes { tokens, tokensOrSingleRows };

  /// `inputs`: the names in the order that the attribute "inputs" replaces.
  TokenLayer(const char* kind, const cv::dnn::LayerParams& params, const char* inputs,
             Takes takes = Takes::tokens);

  /// The shape of the output. shapeOf(name): of an input or constant, or null. A kind that takes
  /// single rows gives [B, R, M], of which single rows get [B, M].
  using ShapeOf = std::function<const cv::dnn::MatShape*(const std::string&)>;
  virtual cv::dnn::MatShape outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const = 0;

  /// Reads the weights of a forward, and checks them.
  virtual void readWeights(const LayerInputs& inputs, const TokenShape& shape) = 0;
  /// What forwards then use of them.
  virtual void packWeights() = 0;
  virtual void forwardImage(const TokenShape& shape, const Image& image) = 0;

  /// A shape that has to be there.
  const cv::dnn::MatShape& need(const ShapeOf& shapeOf, const std::string& input) const;

  LayerIdentity identity_;

 private:
  bool areSingleRows(const cv::dnn::MatShape& tokens) const;
  TokenShape checkTokens(const std::vector<cv::dnn::MatShape>& shapes) const;

  NamedInputs names_;
  int special_ = -1;
  Takes takes_;

  std::vector<int> seen_;  // sizes of the inputs that `shape_` was found right for
  TokenShape shape_;
};

}  // namespace mpm::dnn
