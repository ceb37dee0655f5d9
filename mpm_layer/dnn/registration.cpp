// SPDX-License-Identifier: Apache-2.0
// Registers the kinds of layers, and sets as many threads as OpenCV has. Holds the constants that
// layers take while a net is read.
#include "dnn/weights.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <mutex>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn/layer.hpp>
#include <utility>

#include "contract/layer_kinds.h"
#include "dnn/net_layer.h"
#include "mpm/c_api.h"
#include "mpm/layers.h"
#include "mpm/threads.h"
#include "mpm/version.h"
#include "processor/pool.h"
#include "processor/simd.h"

namespace mpm::dnn {
namespace {

thread_local const ScopedWeights* innermost = nullptr;

}  // namespace

std::string nodeName(const std::string& layer) {
  const std::size_t mark = layer.find('!');
  const bool prefixed =
      mark != std::string::npos &&
      (layer.compare(0, mark, "onnx_node") == 0 ||
       layer.compare(0, sizeof("onnx_node_output_") - 1, "onnx_node_output_") == 0);
  return prefixed ? layer.substr(mark + 1) : layer;
}

ScopedWeights::ScopedWeights(LayerWeights weights)
    : weights_(std::move(weights)), outer_(innermost) {
  innermost = this;
}

ScopedWeights::~ScopedWeights() { innermost = outer_; }

const std::vector<cv::Mat>* ScopedWeights::find(const std::string& layer) const {
  auto found = weights_.find(layer);
  if (found == weights_.end()) found = weights_.find(nodeName(layer));
  return found == weights_.end() ? nullptr : &found->second;
}

cv::dnn::LayerParams withScopedWeights(const cv::dnn::LayerParams& params) {
  cv::dnn::LayerParams result = params;
  if (innermost == nullptr) return result;
  const std::vector<cv::Mat>* weights = innermost->find(params.name);
  if (weights != nullptr) {
    result.blobs.insert(result.blobs.end(), weights->begin(), weights->end());
  }
  return result;
}

}  // namespace mpm::dnn

namespace mpm {
namespace {

using Make = dnn::LayerPtr(const cv::dnn::LayerParams& params);

// Makers in the order of LayerKind.
constexpr Make* kMakers[] = {
    dnn::makePatchEmbed,       dnn::makeNormalize,    dnn::makeLinear,
    dnn::makeTransformerBlock, dnn::makeAttention,    dnn::makeAddRows,
    dnn::makeMutualPairMerge,  dnn::makeMergeRestore, dnn::makeReplaceSpecial,
    dnn::makeMaskDecoderHead,  dnn::makeMeanRows,     dnn::makeConvolve,
    dnn::makeUpsample,         dnn::makeSubgraph,     dnn::makeChain};
static_assert(std::size(kMakers) == kLayerKinds.size());

template <std::size_t row>
dnn::LayerPtr create(cv::dnn::LayerParams& params) {
  return dnn::makeWhileReading([&] { return kMakers[row](dnn::withScopedWeights(params)); });
}

// Registers a type once, since OpenCV keeps every registration of a type.
template <std::size_t row>
void registerKind() {
  const std::string type(kLayerKinds[row].type);
  if (!cv::dnn::LayerFactory::isLayerRegistered(type))
    cv::dnn::LayerFactory::registerLayer(type, create<row>);
}

template <std::size_t... row>
void registerRows(std::index_sequence<row...>) {
  (registerKind<row>(), ...);
}

int openCvThreads() { return std::min(std::max(1, cv::getNumThreads()), processor::usableCores()); }

}  // namespace

void registerLayers() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  processor::simdChoice();  // a wrong MPM_SIMD is told here, not in the middle of a frame
  threads();                // from here on cv::setNumThreads counts
  registerRows(std::make_index_sequence<kLayerKinds.size()>());
}

void setThreads(int count) {
  processor::setDefaultThreadCount(openCvThreads);
  processor::setThreadCount(count);
}

int threads() {
  processor::setDefaultThreadCount(openCvThreads);
  return processor::threadCount();
}

const char* version() { return MPM_VERSION; }

}  // namespace mpm

int mpm_register_layers(void) {
  try {
    mpm::registerLayers();
    return 0;
  } catch (const std::exception& error) {
    CV_LOG_ERROR(nullptr, "mpm: " << error.what());
    return -1;
  }
}
