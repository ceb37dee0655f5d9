// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <opencv2/dnn/layer.hpp>

#include "dnn/linear_layer.h"
#include "dnn/mask_decoder_head_layer.h"
#include "dnn/mean_rows_layer.h"
#include "dnn/merge_restore_layer.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "dnn/normalize_layer.h"
#include "dnn/patch_embed_layer.h"
#include "dnn/quiet_domain.h"
#include "dnn/replace_special_layer.h"
#include "dnn/transformer_block_layer.h"
#include "dnn/upsample_layer.h"
#include "dnn/weights.h"
#include "mpm/layers.h"
#include "mpm/threads.h"
#include "processor/simd.h"

namespace mpm {
namespace {

cv::Ptr<dnn::MutualPairMergeLayer> findMerge(cv::dnn::Net& net, const std::string& name) {
  if (net.getLayerId(name) < 0) return {};
  return net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>();
}

template <class Layer>
cv::Ptr<cv::dnn::Layer> create(cv::dnn::LayerParams& params) {
  return cv::makePtr<Layer>(dnn::withScopedWeights(params));
}

template <class Layer>
void registerLayer() {
  cv::dnn::LayerFactory::registerLayer(Layer::kType, create<Layer>);
}

}  // namespace

void registerLayers() {
  static std::once_flag once;
  std::call_once(once, [] {
    processor::simdChoice();  // a wrong MPM_SIMD is told here, not in the middle of a frame
    threads();                // from here on cv::setNumThreads counts
    dnn::keepDomainQuiet();
    registerLayer<dnn::LinearLayer>();
    registerLayer<dnn::MaskDecoderHeadLayer>();
    registerLayer<dnn::MeanRowsLayer>();
    registerLayer<dnn::MergeRestoreLayer>();
    registerLayer<dnn::MutualPairMergeLayer>();
    registerLayer<dnn::NormalizeLayer>();
    registerLayer<dnn::PatchEmbedLayer>();
    registerLayer<dnn::ReplaceSpecialLayer>();
    registerLayer<dnn::TransformerBlockLayer>();
    registerLayer<dnn::UpsampleLayer>();
  });
}

std::vector<std::string> mergeLayers(cv::dnn::Net& net) {
  std::vector<std::string> merges;
  for (const cv::String& name : net.getLayerNames()) {
    if (findMerge(net, name)) merges.push_back(name);
  }
  return merges;
}

int setMerging(cv::dnn::Net& net, bool on) {
  const std::vector<std::string> merges = mergeLayers(net);
  for (const std::string& name : merges) setMerging(net, name, on);
  return static_cast<int>(merges.size());
}

void setMerging(cv::dnn::Net& net, const std::string& layerName, bool on) {
  const cv::Ptr<dnn::MutualPairMergeLayer> merge = findMerge(net, layerName);
  if (!merge) {
    CV_Error(cv::Error::StsObjectNotFound, "the net has no layer of type " +
                                               std::string(dnn::MutualPairMergeLayer::kType) +
                                               " named '" + layerName + "'");
  }
  merge->setEnabled(on);
}

}  // namespace mpm
