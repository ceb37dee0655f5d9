// SPDX-License-Identifier: Apache-2.0
#include "dnn/mutual_pair_merge_layer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm::dnn {

using std::to_string;

namespace {

// Largest count of tokens: a float32 map holds whole numbers exactly up to here.
constexpr int kMostTokens = 1 << 24;

}  // namespace

struct MutualPairMergeLayer::Inputs {
  const cv::Mat* tokens = nullptr;
  const cv::Mat* rows = nullptr;     // or null
  const cv::Mat* map = nullptr;      // or null
  const cv::Mat* regions = nullptr;  // or null
};

MutualPairMergeLayer::MutualPairMergeLayer(const cv::dnn::LayerParams& params)
    : NetLayer(LayerKind::mutualPairMerge, params, "tokens,rows,map,regions"),
      enabled_(params.get<int>("enabled", 1) != 0),
      beforeBlock_(params.get<int>("before_block", -1)),
      isShort_(params.get<int>("short", 0) != 0) {
  options_.window = params.get<int>("window", 0);
  if (const std::vector<int> grid = numbers("grid"); grid.size() == 2) {
    options_.gridHeight = grid[0];
    options_.gridWidth = grid[1];
  }
  if (beforeBlock_ < -1) {
    refuseLayer(identity_, "before_block = " + to_string(beforeBlock_) +
                               "; expected the index of a block, or -1 for none");
  }
  if (options_.window < 0) {
    refuseLayer(identity_, "window = " + to_string(options_.window) + "; expected 0 or more");
  }
  if (options_.window > 0 && (options_.gridHeight < 1 || options_.gridWidth < 1)) {
    refuseLayer(identity_, "window = " + to_string(options_.window) +
                               " needs grid = [height, width] of the image tokens");
  }
}

TokenShape MutualPairMergeLayer::checkShapes(const InputShapes& shapes) const {
  const Shape* rows = shapes.find("rows");
  const Shape* regions = shapes.find("regions");
  const TokenShape shape = NetLayer::checkShapes(shapes);
  if (shape.image > kMostTokens) {
    refuseInput(identity_, "tokens",
                "has " + to_string(shape.image) + " image tokens; expected at most " +
                    to_string(kMostTokens));
  }
  const bool rowsFit =
      rows == nullptr || (rows->size() == 2 && (*rows)[0] == shape.batch && (*rows)[1] == 1);
  if (!rowsFit) {
    refuseInput(identity_, "rows",
                "is " + shapeText(*rows) + "; expected [" + to_string(shape.batch) +
                    " x 1], the batch of tokens");
  }
  const bool regionsFit =
      regions == nullptr || (regions->size() == 2 && (*regions)[1] == shape.image &&
                             ((*regions)[0] == shape.batch || (*regions)[0] == 1));
  if (!regionsFit) {
    refuseInput(identity_, "regions",
                "is " + shapeText(*regions) + "; expected [" + to_string(shape.batch) + " or 1 x " +
                    to_string(shape.image) + "]");
  }
  const std::int64_t cells = static_cast<std::int64_t>(options_.gridHeight) * options_.gridWidth;
  if (options_.window > 0 && cells != shape.image) {
    refuseInput(identity_, "tokens",
                "has " + to_string(shape.image) + " image tokens; expected " + to_string(cells) +
                    ", those of grid " + to_string(options_.gridHeight) + " x " +
                    to_string(options_.gridWidth));
  }
  return shape;
}

std::vector<Shape> MutualPairMergeLayer::outputShapes(const TokenShape& shape,
                                                      const InputShapes& shapes) const {
  return {shapes.get("tokens"), Shape{shape.batch, 1}, Shape{shape.batch, shape.image}};
}

MutualPairMergeLayer::Inputs MutualPairMergeLayer::namedInputs(const LayerInputs& inputs) const {
  return {&inputs.get("tokens"), inputs.find("rows"), inputs.find("map"), inputs.find("regions")};
}

void MutualPairMergeLayer::readMap(const Inputs& inputs, int image, int liveImageRows) {
  if (freshRows() != nullptr) {  // nobody reads it
    map_.assign(static_cast<std::size_t>(shape().image), 0);
    return;
  }
  if (inputs.map != nullptr) {
    readIntegers(identity_, "map", inputs.map->ptr<float>(image), shape().image,
                 {0, liveImageRows - 1, "the live image rows"}, map_);
    return;
  }
  if (liveImageRows != shape().image) {
    refuseInput(identity_, "rows",
                "says that " + to_string(liveImageRows) + " of " + to_string(shape().image) +
                    " image rows are live; expected all of them, or a map");
  }
  map_.resize(static_cast<std::size_t>(shape().image));
  identityMap(map_.data(), map_.size());
}

void MutualPairMergeLayer::readRegions(const Inputs& inputs, int image) {
  options_.regions = nullptr;
  if (inputs.regions == nullptr) return;
  const int row = inputs.regions->size[0] == 1 ? 0 : image;
  readIntegers(identity_, "regions", inputs.regions->ptr<float>(row), shape().image,
               {-kMostTokens, kMostTokens, "a label"}, regions_);
  options_.regions = regions_.data();
}

void MutualPairMergeLayer::setTracing(bool on) {
  isTracing_ = on;
  trace_.map.clear();
  trace_.similarity.clear();
}

void MutualPairMergeLayer::startForward(bool merges) {
  liveRows_.assign(static_cast<std::size_t>(shape().batch), 0);
  if (!isTracing_) return;
  const std::size_t tokens = merges ? static_cast<std::size_t>(shape().image) : 0;
  trace_.map.resize(static_cast<std::size_t>(shape().batch) * tokens);
  trace_.similarity.resize(trace_.map.size());
}

// Merges `live` image rows of an image to `out`. Returns how many are left; their map is in map_.
std::size_t MutualPairMergeLayer::mergeImage(const Inputs& inputs, int image, std::size_t live,
                                             float* out) {
  const auto dim = static_cast<std::size_t>(shape().dim);
  const auto special = static_cast<std::size_t>(shape().special);
  const std::size_t traced = static_cast<std::size_t>(image) * map_.size();
  readRegions(inputs, image);
  std::size_t merged = 0;
  try {
    merged = merger_.merge({inputs.tokens->ptr<float>(image) + special * dim, live, dim}, options_,
                           map_.data(), map_.size(), {out, live, dim},
                           isTracing_ ? trace_.similarity.data() + traced : nullptr);
  } catch (const std::invalid_argument& error) {
    refuseLayer(identity_, error.what());
  }
  if (isTracing_) std::copy(map_.begin(), map_.end(), trace_.map.data() + traced);
  return merged;
}

void MutualPairMergeLayer::forwardImage(const Inputs& inputs, int image, bool merges,
                                        std::vector<cv::Mat>& outputs) {
  const bool isTold = inputs.rows != nullptr || freshRows() == nullptr;
  const int live = isTold ? dnn::liveRows(identity_, inputs.rows, image, shape())
                          : static_cast<int>(memory()->rows());
  const int liveImage = live - shape().special;
  readMap(inputs, image, liveImage);

  const auto special = static_cast<std::size_t>(shape().special);
  const auto dim = static_cast<std::size_t>(shape().dim);
  const float* in = inputs.tokens->ptr<float>(image);
  float* out = outputs[0].ptr<float>(image);
  auto left = static_cast<std::size_t>(liveImage);
  if (merges) {
    std::memcpy(out, in, special * dim * sizeof(float));
    left = mergeImage(inputs, image, left, out + special * dim);
  } else {
    std::memcpy(out, in, static_cast<std::size_t>(live) * dim * sizeof(float));
  }
  if (memory() != nullptr && freshRows() == nullptr) memory()->noteMap(map_, left);
  liveRows_[static_cast<std::size_t>(image)] = static_cast<int>(special + left);
  if (outputs.size() > 1) outputs[1].ptr<float>()[image] = static_cast<float>(special + left);
  if (outputs.size() > 2) std::copy(map_.begin(), map_.end(), outputs[2].ptr<float>(image));
}

void MutualPairMergeLayer::compute(const LayerInputs& given, std::vector<cv::Mat>& outputs) {
  const Inputs inputs = namedInputs(given);
  const bool merges = enabled_ && freshRows() == nullptr;  // in the whole batch
  startForward(merges);
  for (int image = 0; image < shape().batch; ++image) forwardImage(inputs, image, merges, outputs);
  if (givesShortTokens()) shorten(outputs[0]);
}

// Moves images together in place.
void MutualPairMergeLayer::shorten(cv::Mat& tokens) const {
  const int most = *std::max_element(liveRows_.begin(), liveRows_.end());
  const auto dim = static_cast<std::size_t>(shape().dim);
  for (int image = 1; image < shape().batch; ++image) {
    const auto place = static_cast<std::size_t>(image) * static_cast<std::size_t>(most) * dim;
    const auto live = static_cast<std::size_t>(liveRows_[static_cast<std::size_t>(image)]);
    std::memmove(tokens.ptr<float>() + place, tokens.ptr<float>(image), live * dim * sizeof(float));
  }
  fitMat(tokens, {shape().batch, most, shape().dim});
}

LayerPtr makeMutualPairMerge(const cv::dnn::LayerParams& params) {
  return cv::makePtr<MutualPairMergeLayer>(params);
}

}  // namespace mpm::dnn

namespace mpm {
namespace {

using Merges = std::vector<dnn::MutualPairMergeLayer*>;

// Returns merges by name, in the net's order. The net owns them.
std::vector<std::pair<std::string, dnn::MutualPairMergeLayer*>> namedMerges(cv::dnn::Net& net) {
  std::vector<std::pair<std::string, dnn::MutualPairMergeLayer*>> found;
  dnn::forEachLayer(net, [&](const std::string& name, dnn::NetLayer& layer) {
    if (auto* merge = dynamic_cast<dnn::MutualPairMergeLayer*>(&layer))
      found.emplace_back(name, merge);
  });
  return found;
}

// Returns the merges that know which block they come before.
Merges merges(cv::dnn::Net& net) {
  Merges found;
  for (dnn::MutualPairMergeLayer* merge : dnn::mergesOf(net)) {
    if (merge->beforeBlock() >= 0) found.push_back(merge);
  }
  return found;
}

}  // namespace

std::vector<dnn::MutualPairMergeLayer*> dnn::mergesOf(cv::dnn::Net& net) {
  Merges found;
  for (const auto& [name, merge] : namedMerges(net)) found.push_back(merge);
  return found;
}

std::vector<std::string> mergeLayers(cv::dnn::Net& net) {
  std::vector<std::string> names;
  for (const auto& [name, merge] : namedMerges(net)) names.push_back(name);
  return names;
}

int setMerging(cv::dnn::Net& net, bool on) {
  const Merges all = dnn::mergesOf(net);
  for (dnn::MutualPairMergeLayer* merge : all) merge->setEnabled(on);
  return static_cast<int>(all.size());
}

void setMerging(cv::dnn::Net& net, const std::string& layerName, bool on) {
  for (const auto& [name, merge] : namedMerges(net)) {
    if (name == layerName) return merge->setEnabled(on);
  }
  CV_Error(cv::Error::StsObjectNotFound, std::string("the net has no layer of type ") +
                                             typeOf(LayerKind::mutualPairMerge) + " named '" +
                                             layerName + "'");
}

Schedule schedule(cv::dnn::Net& net) {
  std::vector<int> blocks;
  for (const auto* merge : merges(net)) {
    if (merge->enabled()) blocks.push_back(merge->beforeBlock());
  }
  return blocks;
}

void setSchedule(cv::dnn::Net& net, const Schedule& blocks) {
  const auto all = merges(net);
  std::vector<int> mergeable;
  for (auto* merge : all) mergeable.push_back(merge->beforeBlock());
  blocks.check(Schedule(mergeable).blocks());  // of several encoders blocks have the same numbers
  for (auto* merge : all) merge->setEnabled(blocks.contains(merge->beforeBlock()));
}

std::vector<std::vector<int>> liveRows(cv::dnn::Net& net) {
  std::vector<std::vector<int>> rows;
  for (const dnn::MutualPairMergeLayer* merge : dnn::mergesOf(net)) {
    if (merge->enabled() && !merge->liveRows().empty()) rows.push_back(merge->liveRows());
  }
  return rows;
}

}  // namespace mpm
