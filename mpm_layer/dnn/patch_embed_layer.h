// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <vector>

#include "dnn/device_layer.h"
#include "dnn/layer_inputs.h"
#include "dnn/packing.h"
#include "dnn/token_blobs.h"
#include "vit/patch_embed.h"

namespace mpm::dnn {

/// mpm.PatchEmbed; its contract stands in mpm/layers.h.
class PatchEmbedLayer final : public cv::dnn::Layer, public Packing, public DeviceLayer {
 public:
  static constexpr const char* kType = "mpm.PatchEmbed";

  explicit PatchEmbedLayer(const cv::dnn::LayerParams& params);

  int patch() const { return static_cast<int>(weights_.patch); }
  cv::Size grid() const { return grid_.empty() ? cv::Size() : cv::Size(grid_[1], grid_[0]); }
  int dim() const;  ///< 0 where the weight is no constant

  bool getMemoryShapes(const std::vector<cv::dnn::MatShape>& inputs, const int requiredOutputs,
                       std::vector<cv::dnn::MatShape>& outputs,
                       std::vector<cv::dnn::MatShape>& internals) const override;
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) override;

 private:
  void checkImage(const cv::dnn::MatShape& image) const;
  void packWeights();
  void readWeights(const LayerInputs& inputs, const cv::dnn::MatShape& image);

  LayerIdentity identity_;
  NamedInputs names_;
  std::vector<int> grid_;  ///< height and width in patches, or empty: any
  vit::PatchEmbedWeights weights_;

  vit::PackedPatchEmbed packed_;
  std::vector<int> seen_;  // sizes of the inputs that `shape_` was found right for
  cv::dnn::MatShape shape_;
  cv::Mat position_, special_;  // what packed_ refers to
};

}  // namespace mpm::dnn
