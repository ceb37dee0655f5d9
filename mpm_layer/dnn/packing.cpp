// SPDX-License-Identifier: Apache-2.0
#include "dnn/packing.h"

#include <cstdlib>
#include <stdexcept>

namespace mpm::dnn {

vit::Precision precisionOf(const std::string& name) {
  const char* forced = std::getenv("MPM_PRECISION");
  const std::string precision = !name.empty() ? name : forced != nullptr ? forced : "";
  if (precision.empty() || precision == "fp32") return vit::Precision::fp32;
  if (precision != "bf16")
    throw std::invalid_argument("precision " + precision + ": expected fp32 or bf16");
  if (!vit::hasBf16())
    throw std::invalid_argument("precision bf16: this processor has no bfloat16 products");
  return vit::Precision::bf16;
}

void Packing::readPrecision(const LayerIdentity& layer, const cv::dnn::LayerParams& params) {
  const cv::String name = params.get<cv::String>("precision", "");
  if (name.empty()) return;
  try {
    precision_ = precisionOf(name);
  } catch (const std::invalid_argument& error) {
    refuseLayer(layer, error.what());
  }
}

void Packing::forget(std::vector<cv::Mat>& blobs) {
  for (cv::Mat& blob : blobs) {
    const std::vector<int> sizes(blob.size.p, blob.size.p + blob.dims);
    blob = cv::Mat(sizes, blob.type(), static_cast<void*>(nullptr));
  }
}

void setPrecision(cv::dnn::Net& net, vit::Precision precision) {
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
    if (auto* packing = dynamic_cast<Packing*>(layer.get())) packing->setPrecision(precision);
  }
}

}  // namespace mpm::dnn
