// SPDX-License-Identifier: Apache-2.0
#include "dnn/net_memory.h"

#include <algorithm>
#include <utility>

#include "dnn/net_layer.h"

namespace mpm::dnn {
namespace {

// Accepts layers that compute rows one by one, and blocks over all rows.
bool remembers(const NetLayer& layer) {
  switch (layer.kind()) {
    case LayerKind::patchEmbed:
    case LayerKind::normalize:
    case LayerKind::linear:
    case LayerKind::mutualPairMerge:
    case LayerKind::replaceSpecial:
    case LayerKind::maskDecoderHead:
      return true;
    case LayerKind::transformerBlock:
      return layer.number("windows", 0) == 0;
    default:
      return false;
  }
}

// Returns a block's multiplications. Its linear layers have 12 dim^2 weights.
double costOfBlock(std::size_t dim, std::size_t queries, std::size_t keys) {
  const auto d = static_cast<double>(dim), n = static_cast<double>(queries);
  return n * (12 * d * d + 2 * d * static_cast<double>(keys));
}

}  // namespace

void NetMemory::expectAll(std::size_t image) {
  isFresh_ = false;
  image_ = image;
}

void NetMemory::expectFresh(std::vector<std::int32_t> fresh) {
  isFresh_ = true;
  fresh_ = std::move(fresh);
}

void NetMemory::noteRows(std::size_t rows) {
  rows_ = rows;
  map_.clear();
  liveImage_ = image_;
}

void NetMemory::noteMap(const std::vector<std::int32_t>& map, std::size_t live) {
  map_ = map;
  liveImage_ = live;
}

double NetMemory::costOfAll() const {
  double sum = 0;
  for (const auto& [name, block] : blocks_)
    sum += costOfBlock(block.dim(), block.rowsOfAll(), block.rowsOfAll());
  return sum;
}

double NetMemory::costOf(std::size_t fresh) const {
  double sum = 0;
  for (const auto& [name, block] : blocks_) {
    const std::size_t keys = std::min(block.keys() + fresh, block.special() + image_);
    sum += costOfBlock(block.dim(), block.special() + fresh, keys);
  }
  return sum;
}

std::size_t NetMemory::bytes() const {
  std::size_t sum = (fresh_.capacity() + map_.capacity()) * sizeof(std::int32_t);
  for (const auto& [name, block] : blocks_) sum += block.bytes();
  return sum;
}

RememberingLayers::RememberingLayers(cv::dnn::Net& net, const std::vector<std::string>& last) {
  for (const std::string& name : last) add(net, layerOf(net, name));
}

void RememberingLayers::add(cv::dnn::Net& net, const LayerPtr& layer) {
  if (!layer || !fault_.empty()) return;
  const auto ours = layer.dynamicCast<NetLayer>();
  if (std::find(layers_.begin(), layers_.end(), ours) != layers_.end()) return;
  if (ours && ours->device() != nullptr) {
    fault_ = "its layers compute on a device, where nothing is remembered; read it for the cpu";
    return;
  }
  if (!ours || !remembers(*ours)) {
    fault_ = "its layer " + layer->name + " (" + layer->type +
             ") cannot compute a few rows alone, so every frame is computed in full";
    return;
  }
  layers_.push_back(ours);
  for (const LayerPtr& source : sourcesOf(net, *layer)) add(net, source);
}

void RememberingLayers::use(NetMemory* memory) const {
  for (const auto& layer : layers_) layer->setMemory(memory);
}

}  // namespace mpm::dnn
