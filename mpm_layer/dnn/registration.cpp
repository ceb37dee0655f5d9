// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <opencv2/dnn/layer.hpp>

#include "dnn/merge_restore_layer.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/layers.h"
#include "processor/simd.h"

namespace mpm {
namespace {

cv::Ptr<dnn::MutualPairMergeLayer> findMerge(cv::dnn::Net& net, const std::string& name) {
  if (net.getLayerId(name) < 0) return {};
  return net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>();
}

}  // namespace

void registerLayers() {
  static std::once_flag once;
  std::call_once(once, [] {
    processor::simdChoice();  // a wrong MPM_SIMD is told here, not in the middle of a frame
    cv::dnn::LayerFactory::registerLayer(dnn::MutualPairMergeLayer::kType,
                                         dnn::MutualPairMergeLayer::create);
    cv::dnn::LayerFactory::registerLayer(dnn::MergeRestoreLayer::kType,
                                         dnn::MergeRestoreLayer::create);
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
