// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dnn/net_layer.h"
#include "dnn/read_net.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/file.h"

namespace mpm {
namespace {

std::vector<Description::Blob> blobs(const std::vector<onnx::Value>& values) {
  std::vector<Description::Blob> result;
  for (const onnx::Value& value : values) {
    Description::Blob blob{value.name, {}};
    for (const onnx::Dim& dim : value.dims) blob.shape.push_back(static_cast<int>(dim.size));
    result.push_back(std::move(blob));
  }
  return result;
}

// Opens each size of an output that depends on an open size of an input, whatever number the file
// has there.
void openSizes(const onnx::Values& values, Description& description) {
  std::set<std::int64_t> open;
  for (const Description::Blob& input : description.inputs) {
    const onnx::Integers* named = values.namedDims(input.name);
    for (std::size_t i = 0; named != nullptr && i < input.shape.size(); ++i) {
      if (input.shape[i] < 0 && i < named->size() && (*named)[i] < -1) open.insert((*named)[i]);
    }
  }
  for (Description::Blob& output : description.outputs) {
    const onnx::Integers* named = values.namedDims(output.name);
    if (named == nullptr || named->size() != output.shape.size()) continue;
    for (std::size_t i = 0; i < named->size(); ++i) {
      if (open.count((*named)[i]) != 0) output.shape[i] = -1;
    }
  }
}

void describeEncoder(const onnx::Rewriting& rewriting, Description& description) {
  const onnx::Encoder& encoder = rewriting.recognised.encoder;
  description.mergeable = encoder.obstacle.empty();
  description.reason = encoder.obstacle;
  description.input = {static_cast<int>(rewriting.recognised.width),
                       static_cast<int>(rewriting.recognised.height)};
  description.isInputOpen = rewriting.recognised.sizeIsOpen;
  if (!description.mergeable) return;
  description.depth = encoder.blocks;
  description.embedDim = static_cast<int>(encoder.dim);
  description.numHeads = static_cast<int>(encoder.heads);
  description.numPrefixTokens = static_cast<int>(encoder.special);
  description.patchSize = static_cast<int>(encoder.patch);
  description.gridSize =
      rewriting.recognised.isResized()
          ? description.input / description.patchSize
          : cv::Size(static_cast<int>(encoder.gridWidth), static_cast<int>(encoder.gridHeight));
  if (encoder.gelu) description.gelu = nameOf(*encoder.gelu);
  description.head = encoder.head;
  description.schedule = rewriting.schedule;
  description.lastInWindows = encoder.lastInWindows;
  description.added = onnx::mergeOutputs(1 + encoder.others.size());
}

// Collects facts about a network from its layers, in the order of the graph. `Layer` has
// number(name, otherwise), word(name, otherwise), hasConstants(), and rowsOf(name). The last
// returns how many rows a constant of [rows, features] has; 0 if there is none.
class Seen {
 public:
  explicit Seen(Description& description) : description_(description) {}

  template <class Layer>
  void add(LayerKind kind, const Layer& layer) {
    switch (kind) {
      case LayerKind::patchEmbed:
        if (!isOfEncoder(kind)) break;
        description_.patchSize = layer.number("patch", 16);
        description_.numPrefixTokens = layer.rowsOf("special");
        break;
      case LayerKind::mutualPairMerge:
        if (!description_.mergeable)
          description_.numPrefixTokens = std::max(layer.number("special", 0), 0);
        description_.mergeable = true;
        if (layer.hasConstants())  // regions
          description_.lastInWindows = layer.number("before_block", -1);
        break;
      case LayerKind::replaceSpecial:
        inDecoder_ = true;
        break;
      case LayerKind::attention:
        if (layer.number("beside", 0) != 0) break;
        ++(inDecoder_ ? decoderBlocks_ : description_.depth);
        if (inDecoder_) break;
        description_.numHeads = layer.number("heads", 1);
        if (description_.gelu.empty()) description_.gelu = lastGelu_;
        break;
      case LayerKind::linear:
        lastGelu_ = layer.word("gelu", lastGelu_);
        break;
      case LayerKind::transformerBlock:
        ++(inDecoder_ ? decoderBlocks_ : description_.depth);
        if (inDecoder_) break;
        description_.numHeads = layer.number("heads", 1);
        description_.gelu = layer.word("gelu", "erf");
        break;
      case LayerKind::maskDecoderHead:
        description_.head = "mask decoder, " + std::to_string(decoderBlocks_) + " blocks, " +
                            std::to_string(layer.number("special", 0)) + " classes";
        break;
      default:
        break;
    }
  }

  // Tells whether a layer cuts the picture into patches. After blocks, it belongs to the head.
  bool isOfEncoder(LayerKind kind) const {
    return kind == LayerKind::patchEmbed && description_.depth == 0;
  }

 private:
  Description& description_;
  std::string lastGelu_;
  bool inDecoder_ = false;
  int decoderBlocks_ = 0;
};

struct NodeAttributes {
  const onnx::Model& model;
  const onnx::Node& node;

  int number(const char* name, int otherwise) const {
    return static_cast<int>(onnx::intAttribute(node, name).value_or(otherwise));
  }
  std::string word(const char* name, const std::string& otherwise) const {
    return onnx::stringAttribute(node, name).value_or(otherwise);
  }
  bool hasConstants() const {
    return std::any_of(node.input().begin(), node.input().end(),
                       [&](const std::string& input) { return model.constant(input).has_value(); });
  }
  int rowsOf(const char* name) const {
    std::istringstream names(word("inputs", ""));
    std::string each;
    for (const std::string& input : node.input()) {
      if (!std::getline(names, each, ',')) break;
      const auto constant = each == name ? model.constant(input) : std::nullopt;
      if (constant && !constant->dims().empty()) return static_cast<int>(constant->dims()[0]);
    }
    return 0;
  }
};

// Describes a converted file by its layers.
void describeLayers(const onnx::Model& model, Description& description) {
  description.head = "converted";
  Seen seen(description);
  std::vector<int> mergesBefore;
  for (const onnx::Node* node : model.nodes()) {
    const auto kind = kindOf((node->domain() == "mpm" ? "mpm." : "") + node->op_type());
    if (!kind) continue;
    const NodeAttributes attributes{model, *node};
    seen.add(*kind, attributes);
    if (kind == LayerKind::mutualPairMerge && attributes.number("enabled", 1) != 0)
      mergesBefore.push_back(attributes.number("before_block", -1));
    if (!seen.isOfEncoder(*kind)) continue;
    const auto grid = onnx::intsAttribute(*node, "grid");
    if (grid && grid->size() == 2)
      description.gridSize = {static_cast<int>((*grid)[1]), static_cast<int>((*grid)[0])};
    const auto weight = node->input_size() > 1 ? model.constant(node->input(1)) : std::nullopt;
    if (weight && !weight->dims().empty())
      description.embedDim = static_cast<int>(weight->dims()[0]);
  }
  description.mergeable = true;
  description.schedule = mergesBefore;
  for (const Description::Blob& output : description.outputs) {
    if (onnx::isMergeOutput(output.name)) description.added.push_back(output.name);
  }
  for (const Description::Blob& input : description.inputs) {
    if (input.shape.size() != 4 || description.patchSize < 1) continue;
    const bool isChannelsLast = input.shape[3] <= 4 && input.shape[1] > 4;
    description.input = isChannelsLast ? cv::Size(input.shape[2], input.shape[1])
                                       : cv::Size(input.shape[3], input.shape[2]);
    if (description.gridSize.empty())
      description.gridSize = description.input / description.patchSize;
  }
}

// Describes a model that is being read. A model that does not run counts as one that cannot merge.
Description descriptionOfReading(dnn::ModelReading reading, const ReadOptions& options) {
  Description description = reading.description();
  if (!options.check) return description;
  try {
    cv::dnn::Net net = reading.makeNet(dnn::placeOf(options.device, options.precision));
    for (const cv::String& name : net.getLayerNames()) {
      const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
      if (!layer.dynamicCast<dnn::NetLayer>()) ++description.layers[layer->type];
    }
    dnn::forEachLayer(net, [&](const std::string&, const dnn::NetLayer& layer) {
      ++description.layers[layer.type];
      for (const auto& [type, count] : layer.operators()) description.computed[type] += count;
    });
  } catch (const std::runtime_error& error) {
    description.mergeable = false;
    description.reason = std::string("it does not run: ") + error.what();
  }
  return description;
}

struct LayerAttributes {
  const dnn::NetLayer& layer;

  int number(const char* name, int otherwise) const { return layer.number(name, otherwise); }
  std::string word(const char* name, const std::string& otherwise) const {
    return layer.word(name, otherwise);
  }
  bool hasConstants() const { return !layer.blobs.empty(); }
  int rowsOf(const char* name) const {  // constants stand behind the one input that is none
    const int at = layer.names().index(name, layer.blobs.size() + 1) - 1;
    return at < 0 ? 0 : layer.blobs[static_cast<std::size_t>(at)].size[0];
  }
};

}  // namespace

Description dnn::descriptionOf(const onnx::Model& model, const onnx::Rewriting* rewriting) {
  Description description;
  description.inputs = blobs(model.inputs());
  description.outputs = blobs(model.outputs());
  description.metadata = model.metadata();
  if (rewriting == nullptr) {
    describeLayers(model, description);
  } else {
    describeEncoder(*rewriting, description);
    if (rewriting->recognised.values != nullptr)
      openSizes(*rewriting->recognised.values, description);
  }
  return description;
}

Description describe(const std::string& path, const ReadOptions& options) {
  return descriptionOfReading({onnx::readModel(path), path, options}, options);
}

Description describe(const void* bytes, std::size_t size, const ReadOptions& options) {
  return descriptionOfReading({onnx::readModel(bytes, size), "model", options}, options);
}

Description describe(cv::dnn::Net& net) {
  Description description;
  Seen seen(description);
  dnn::forEachLayer(net, [&](const std::string&, const dnn::NetLayer& layer) {
    const LayerAttributes attributes{layer};
    seen.add(layer.kind(), attributes);
    if (!seen.isOfEncoder(layer.kind())) return;
    const std::vector<int> grid = layer.numbers("grid");
    if (grid.size() == 2) description.gridSize = {grid[1], grid[0]};
    description.input = description.gridSize * description.patchSize;
    description.embedDim = attributes.rowsOf("weight");
  });
  if (!description.mergeable) description.reason = "the net has no merges";
  description.schedule = schedule(net);
  return description;
}

}  // namespace mpm
