// SPDX-License-Identifier: Apache-2.0
// Why a model, or a block of it, is not what the layers compute.
#include <algorithm>

#include "onnx/attribute.h"
#include "onnx/error.h"
#include "onnx/translate.h"
#include "onnx/view.h"

namespace mpm::onnx {
namespace {

std::string sentence(int block, const std::string& what, const Node* node) {
  return "block " + std::to_string(block) + ": not supported: " + what +
         (node != nullptr ? ", at " + nameOf(*node) : "");
}

}  // namespace

bool Translation::findEncoder() {
  std::size_t found = 0;
  for (const auto& [blob, stream] : streams_) {
    encoder_ = stream;
    const Embedding& embedding = encoders_.at(blob);
    encoder_.image = embedding.image;
    encoder_.patch = embedding.patch;
    encoder_.gridHeight = embedding.gridHeight;
    encoder_.gridWidth = embedding.gridWidth;
    ++found;
  }
  if (found > 1) {
    encoder_.obstacle = "it has more than one encoder, which is not supported yet";
  } else {
    encoder_.obstacle = found == 0 ? whyNoEncoder() : whyNotTheNextBlock();
  }
  return encoder_.obstacle.empty();
}

// What keeps a softmax from being that of attention over all image tokens, or nothing.
std::string Translation::whyNotSoftmax(const Node& softmax, std::int64_t batch) {
  const Integers* dims = facts_.values.dims(softmax.output(0));
  if (dims == nullptr || dims->size() < 3) return {};
  const std::size_t rank = dims->size();
  const bool isWindowed = rank > 4 || (rank == 4 && (*dims)[0] != batch);
  if (isWindowed) return "attention within windows";
  if ((*dims)[rank - 1] < (*dims)[rank - 2]) return "attention over fewer keys than tokens";
  return {};
}

std::string Translation::whyNoEncoder() {
  const std::vector<Value> inputs = facts_.model.inputs();
  const Integers* image = inputs.empty() ? nullptr : facts_.values.dims(inputs[0].name);
  const std::int64_t batch = image == nullptr || image->empty() ? 1 : image->front();
  bool hasSoftmax = false;
  for (const Node* node : facts_.model.nodes()) {
    if (!isOp(*node, "Softmax") || node->output_size() != 1) continue;
    hasSoftmax = true;
    const std::string obstacle = whyNotSoftmax(*node, batch);
    if (!obstacle.empty()) return sentence(0, obstacle, node);
  }
  const Node* other = nullptr;
  for (const Node* node : facts_.model.nodes()) {
    if (!isOp(*node, "Add") || node->output_size() != 1) continue;
    const auto half = findAttentionHalf(facts_, node->output(0), batch);
    if (!half.obstacle.empty()) return sentence(0, half.obstacle, half.where);
    if (halves_.count(node->output(0)) != 0) return sentence(0, "its MLP", node);
    if (half.found && other == nullptr) other = node;
  }
  if (other != nullptr)
    return sentence(0, "attention over other tokens than patches of an image", other);
  return hasSoftmax ? "it has no transformer block that is known" : "it has no transformer block";
}

// A sum behind the last block that would be one more block, if it were supported.
std::string Translation::whyNotTheNextBlock() {
  for (const Node* node : facts_.model.nodes()) {
    if (!isOp(*node, "Add") || node->input_size() != 2 || node->output_size() != 1) continue;
    const std::string& value = node->output(0);
    const Tokens* stream = nullptr;
    for (const std::string& input : node->input()) {
      const auto found = tokens_.find(behindRowViews(facts_, input));
      if (found != tokens_.end() && found->second.inEncoder) stream = &found->second;
    }
    if (stream == nullptr) continue;
    const int block = stream->blocks;
    const auto half = findAttentionHalf(facts_, value, embeddings_.begin()->second.batch);
    if (!half.obstacle.empty()) return sentence(block, half.obstacle, half.where);
    if (half.found && (halves_.count(value) == 0 || !isFinished(value)))
      return sentence(block, "its MLP", node);
  }
  return {};
}

// Attention on the encoder's tokens that stays for OpenCV belongs to the encoder, whatever stands
// between: half of an encoder is not converted.
std::string Translation::whyNotTheRest() {
  const std::int64_t count = encoder_.special + encoder_.gridHeight * encoder_.gridWidth;
  for (const Node* node : facts_.model.nodes()) {
    if (kept_.count(node) == 0 || !isOp(*node, "Softmax") || node->output_size() != 1) continue;
    const Integers* dims = facts_.values.dims(node->output(0));
    if (dims == nullptr || dims->size() < 3) continue;
    const std::size_t rank = dims->size();
    if ((*dims)[rank - 1] == count && (*dims)[rank - 2] == count)
      return sentence(encoder_.blocks, "what stands in front of its attention", node);
  }
  return {};
}

bool Translation::isFinished(const std::string& half) const {
  const Node* sum = facts_.model.producer(half);
  return sum != nullptr && inside_.count(sum) != 0;
}

}  // namespace mpm::onnx
