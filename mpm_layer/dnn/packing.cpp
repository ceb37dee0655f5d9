// SPDX-License-Identifier: Apache-2.0
#include "dnn/packing.h"

#include <cstdlib>
#include <stdexcept>

namespace mpm::dnn {

std::string wantedPrecision(const std::string& name) {
  const char* forced = std::getenv("MPM_PRECISION");
  const std::string precision = !name.empty() ? name : forced != nullptr ? forced : "";
  return precision.empty() ? "fp32" : precision;
}

vit::Precision precisionOf(const std::string& name) {
  const std::string precision = wantedPrecision(name);
  if (precision == "fp32") return vit::Precision::fp32;
  if (precision == "tf32")
    throw std::invalid_argument("precision tf32: it is for device cuda; expected fp32 or bf16");
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

void forgetValues(cv::Mat& constant) {
  const std::vector<int> sizes(constant.size.p, constant.size.p + constant.dims);
  constant = cv::Mat(sizes, constant.type(), static_cast<void*>(nullptr));
}

void setPrecision(cv::dnn::Net& net, vit::Precision precision) {
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
    if (auto* packing = dynamic_cast<Packing*>(layer.get())) packing->setPrecision(precision);
  }
}

}  // namespace mpm::dnn
