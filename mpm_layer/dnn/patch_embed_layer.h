// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <vector>

#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"
#include "vit/patch_embed.h"

namespace mpm::dnn {

/// mpm.PatchEmbed; its contract stands in mpm/layers.h.
class PatchEmbedLayer final : public cv::dnn::Layer {
 public:
  static constexpr const char* kType = "mpm.PatchEmbed";

  explicit PatchEmbedLayer(const cv::dnn::LayerParams& params);

  bool getMemoryShapes(const std::vector<cv::dnn::MatShape>& inputs, const int requiredOutputs,
                       std::vector<cv::dnn::MatShape>& outputs,
                       std::vector<cv::dnn::MatShape>& internals) const override;
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) override;

 private:
  void checkImage(const cv::dnn::MatShape& image) const;
  void readWeights(const LayerInputs& inputs, const cv::dnn::MatShape& image);

  LayerIdentity identity_;
  NamedInputs names_;
  vit::PatchEmbedWeights weights_;
  vit::PatchEmbedScratch scratch_;
};

}  // namespace mpm::dnn
