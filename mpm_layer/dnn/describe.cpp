// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dnn/mask_decoder_head_layer.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "dnn/patch_embed_layer.h"
#include "dnn/replace_special_layer.h"
#include "dnn/rewrite_options.h"
#include "dnn/transformer_block_layer.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "onnx/attribute.h"
#include "onnx/read.h"
#include "onnx/rewrite_model.h"

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

std::string maskDecoder(int blocks, int classes) {
  return "mask decoder, " + std::to_string(blocks) + " blocks, " + std::to_string(classes) +
         " classes";
}

const char* nameOf(vit::Gelu gelu) {
  switch (gelu) {
    case vit::Gelu::erf:
      return "erf";
    case vit::Gelu::tanh:
      return "tanh";
    default:
      return "quick";
  }
}

const char* nameOf(onnx::GeluKind kind) {
  switch (kind) {
    case onnx::GeluKind::erf:
      return "erf";
    case onnx::GeluKind::tanh:
      return "tanh";
    default:
      return "quick";
  }
}

void describeEncoder(const onnx::Rewriting& rewriting, Description& description) {
  const onnx::Encoder& encoder = rewriting.recognised.encoder;
  description.mergeable = encoder.obstacle.empty();
  description.reason = encoder.obstacle;
  description.input = {static_cast<int>(rewriting.recognised.width),
                       static_cast<int>(rewriting.recognised.height)};
  if (!description.mergeable) return;
  description.blocks = encoder.blocks;
  description.dim = static_cast<int>(encoder.dim);
  description.heads = static_cast<int>(encoder.heads);
  description.special = static_cast<int>(encoder.special);
  description.patch = static_cast<int>(encoder.patch);
  description.grid = {static_cast<int>(encoder.gridWidth), static_cast<int>(encoder.gridHeight)};
  description.gelu = nameOf(encoder.gelu);
  description.head = encoder.head;
  description.schedule = rewriting.schedule;
}

// A converted file: what its layers say.
void describeLayers(const onnx::Model& model, Description& description) {
  description.mergeable = true;
  description.head = "converted";
  bool replaced = false;  // what stands behind is a decoder
  int decoderBlocks = 0;
  for (const onnx::Node* node : model.nodes()) {
    if (node->domain() != "mpm") continue;
    const auto number = [&](const char* attribute) {
      return static_cast<int>(onnx::intAttribute(*node, attribute).value_or(0));
    };
    if (node->op_type() == "TransformerBlock" && replaced) {
      ++decoderBlocks;
    } else if (node->op_type() == "ReplaceSpecial") {
      replaced = true;
    } else if (node->op_type() == "TransformerBlock") {
      ++description.blocks;
      description.heads = number("heads");
      description.gelu = onnx::stringAttribute(*node, "gelu").value_or("erf");
    } else if (node->op_type() == "MutualPairMerge") {
      description.special = number("special");
      if (number("enabled") != 0) description.schedule.push_back(number("before_block"));
    } else if (node->op_type() == "PatchEmbed") {
      description.patch = number("patch");
      const auto weight = node->input_size() > 1 ? model.constant(node->input(1)) : std::nullopt;
      if (weight && !weight->dims().empty()) description.dim = static_cast<int>(weight->dims()[0]);
    } else if (node->op_type() == "MaskDecoderHead") {
      description.head = maskDecoder(decoderBlocks, number("special"));
    }
  }
  for (const Description::Blob& input : description.inputs) {
    if (input.shape.size() != 4 || description.patch < 1) continue;
    description.input = {input.shape[3], input.shape[2]};
    description.grid = {input.shape[3] / description.patch, input.shape[2] / description.patch};
  }
}

Description describeModel(onnx::Model model, const ReadOptions& options, const std::string& name) {
  Description description;
  description.inputs = blobs(model.inputs());
  description.outputs = blobs(model.outputs());
  description.metadata = model.metadata();
  if (onnx::hasLayers(model)) {
    describeLayers(model, description);
  } else {
    describeEncoder(dnn::planRewriting(model, options, name), description);
  }
  return description;
}

}  // namespace

Description describe(const std::string& path, const ReadOptions& options) {
  return describeModel(onnx::readModel(path), options, path);
}

Description describe(const void* bytes, std::size_t size, const ReadOptions& options) {
  return describeModel(onnx::readModel(bytes, size), options, "model");
}

Description describe(cv::dnn::Net& net) {
  Description description;
  int decoderBlocks = 0;
  bool replaced = false;  // what stands behind is a decoder
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
    if (const auto embed = layer.dynamicCast<dnn::PatchEmbedLayer>()) {
      description.patch = embed->patch();
      description.grid = embed->grid();
      description.input = description.grid * embed->patch();
      description.dim = embed->dim();
    } else if (const auto merge = layer.dynamicCast<dnn::MutualPairMergeLayer>()) {
      description.special = std::max(merge->special(), 0);
      description.mergeable = true;
    } else if (layer.dynamicCast<dnn::ReplaceSpecialLayer>()) {
      replaced = true;
    } else if (const auto block = layer.dynamicCast<dnn::TransformerBlockLayer>()) {
      ++(replaced ? decoderBlocks : description.blocks);
      if (replaced) continue;
      description.heads = block->heads();
      description.gelu = nameOf(block->gelu());
    } else if (const auto head = layer.dynamicCast<dnn::MaskDecoderHeadLayer>()) {
      description.head = maskDecoder(decoderBlocks, head->special());
    }
  }
  if (!description.mergeable) description.reason = "the net has no merges";
  description.schedule = schedule(net);
  return description;
}

}  // namespace mpm
