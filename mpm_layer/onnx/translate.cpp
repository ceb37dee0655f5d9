// SPDX-License-Identifier: Apache-2.0
#include "onnx/translate.h"

#include <algorithm>

#include "onnx/view.h"

namespace mpm::onnx {
namespace {

std::int64_t inOf(const Model& model, const FoundLinear& linear) {
  return model.constant(linear.weight)->dims()[linear.outByIn ? 1 : 0];
}

std::int64_t outOf(const Model& model, const FoundLinear& linear) {
  return model.constant(linear.weight)->dims()[linear.outByIn ? 0 : 1];
}

bool isVector(const Model& model, const std::string& constant, std::int64_t count) {
  return constant.empty() || model.constant(constant)->count() == count;
}

bool fits(const Model& model, const FoundNormalize& norm, std::int64_t dim) {
  return isVector(model, norm.scale, dim) && isVector(model, norm.shift, dim);
}

bool fits(const Model& model, const FoundHalf& half, std::int64_t dim) {
  return fits(model, half.norm, dim) && isVector(model, half.layerScale, dim) &&
         outOf(model, half.last) == dim;
}

bool fits(const Model& model, const FoundProjection& projection, std::int64_t dim) {
  const std::int64_t out = outOf(model, projection.linear);
  return inOf(model, projection.linear) == dim &&
         std::all_of(projection.features.begin(), projection.features.end(),
                     [&](std::int64_t feature) { return feature < out; });
}

// The shapes of all constants of a block. What a file says of its values is not relied on.
bool fits(const Model& model, const FoundAttentionHalf& half, std::int64_t dim) {
  const FoundAttention& core = half.attention;
  return fits(model, static_cast<const FoundHalf&>(half), dim) && fits(model, core.q, dim) &&
         fits(model, core.k, dim) && fits(model, core.v, dim) &&
         inOf(model, half.last) == core.heads * core.headDim;
}

bool fits(const Model& model, const FoundMlpHalf& half, std::int64_t dim) {
  return fits(model, static_cast<const FoundHalf&>(half), dim) && inOf(model, half.fc1) == dim &&
         outOf(model, half.fc1) == inOf(model, half.last);
}

}  // namespace

Translation::Translation(const Facts& facts, const TranslateOptions& options)
    : facts_(facts), options_(options), emit_(facts.model, plan_) {
  for (const Node* node : facts_.model.nodes()) {
    for (const std::string& value : node->output()) {
      if (!value.empty()) follow(*node, value);
    }
  }
  if (findEncoder()) needOutputs();
  if (encoder_.obstacle.empty()) encoder_.obstacle = whyNotTheRest();
  const bool merges = std::any_of(neededNodes_.begin(), neededNodes_.end(), [&](std::size_t i) {
    return plan_.nodes[i].node.op_type() == "MutualPairMerge";
  });
  if (encoder_.obstacle.empty() && !merges)
    encoder_.obstacle = "none of its outputs needs the encoder's blocks";
  if (encoder_.obstacle.empty()) finish();
}

const Embedding* Translation::embedding(const std::string& value) const {
  const auto found = embeddings_.find(value);
  return found == embeddings_.end() ? nullptr : &found->second;
}

const Tokens* Translation::tokens(const std::string& value) const {
  const auto found = tokens_.find(value);
  return found == tokens_.end() ? nullptr : &found->second;
}

const Tokens* Translation::tokensToBe(const std::string& value) {
  if (const Tokens* found = tokens(value)) return found;
  const Embedding* embedded = embedding(value);
  if (embedded == nullptr || !embedded->hasImage()) return nullptr;
  const bool asItIs = options_.gridHeight == 0;
  Tokens tokens = emit_.patchEmbed(*embedded, asItIs ? embedded->gridHeight : options_.gridHeight,
                                   asItIs ? embedded->gridWidth : options_.gridWidth);
  encoders_.emplace(tokens.blob, *embedded);
  tokens.encoder = tokens.blob;
  return &tokens_.emplace(value, std::move(tokens)).first->second;
}

const Tokens* Translation::outside(const std::string& value) {
  const Tokens* found = tokens(value);
  if (found == nullptr || options_.lateRestore || found->map.empty()) return found;
  return &(early_[value] = restored(*found));
}

Tokens Translation::restored(const Tokens& tokens) {
  auto found = restored_.find(tokens.blob);
  if (found == restored_.end()) found = restored_.emplace(tokens.blob, emit_.restore(tokens)).first;
  Tokens result = tokens;
  result.blob = found->second.blob;
  result.rows.clear();
  result.map.clear();
  result.isScores = false;
  return result;
}

void Translation::set(const std::string& value, Tokens tokens) {
  const std::int64_t batch = embeddings_.begin()->second.batch;
  Integers expected{batch, tokens.count(), tokens.dim};
  if (tokens.dropsRows) {
    expected = {batch, tokens.dim};
  } else if (tokens.rowsFirst) {
    expected = {tokens.count(), batch, tokens.dim};
  }
  const Integers* dims = facts_.values.dims(value);
  tokens.flat = dims == nullptr || *dims != expected;
  tokens_[value] = std::move(tokens);
}

void Translation::follow(const Node& node, const std::string& value) {
  if (facts_.model.constant(value) || followEmbedding(value)) return;
  if (embeddings_.empty()) return;
  if (followBlock(value) || followMaskHead(value) || followRowWise(value)) return;
  if (followConcat(node, value) || followMean(node, value) || followRows(node, value)) return;
  followElementWise(node, value);
}

bool Translation::followEmbedding(const std::string& value) {
  const auto known = [&](const std::string& input) {
    // What became tokens already is no embedding any more.
    return tokens_.count(input) != 0 ? nullptr : embedding(input);
  };
  auto found = findEmbedding(facts_, value, known);
  if (!found) return false;
  embeddings_.emplace(value, std::move(*found));
  return true;
}

bool Translation::followBlock(const std::string& value) {
  const Finding<FoundMlpHalf> mlp = findMlpHalf(facts_, value);
  if (mlp.found) {
    const auto half = halves_.find(behindRowViews(facts_, mlp.found->input));
    return half != halves_.end() && finishBlock(value, half->second, *mlp.found);
  }
  const std::int64_t batch = embeddings_.begin()->second.batch;
  Finding<FoundAttentionHalf> attention = findAttentionHalf(facts_, value, batch);
  if (!attention.found) return false;
  const Tokens* stream = tokensToBe(behindRowViews(facts_, attention.found->input));
  if (stream == nullptr || !fits(facts_.model, *attention.found, stream->dim)) return false;
  const std::optional<bool> rowsFirst = attention.found->attention.rowsFirst;
  if (rowsFirst.value_or(stream->rowsFirst) != stream->rowsFirst) return false;
  halves_[value] = std::move(*attention.found);
  return true;
}

bool Translation::finishBlock(const std::string& value, const FoundAttentionHalf& attention,
                              const FoundMlpHalf& mlp) {
  const std::string stream = behindRowViews(facts_, attention.input);
  Tokens before = *tokens(stream);
  if (!fits(facts_.model, mlp, before.dim) || before.isScores) return false;
  if (!before.inEncoder) before = *outside(stream);
  if (!before.hasAll()) {
    if (!before.isImageOnly()) return false;
    before = emit_.replaceSpecial(before, 0, {});
  }
  std::string name = "a block of its head";
  if (before.inEncoder) {
    name = "block " + std::to_string(before.blocks);
    before = emit_.merge(before, before.blocks);
  }
  Tokens after = emit_.block(before, attention, mlp);
  for (const auto* nodes : {&attention.nodes, &mlp.nodes}) {
    for (const Node* node : *nodes) inside_.emplace(node, name);
  }
  if (after.inEncoder) {
    ++after.blocks;
    Encoder& encoder = streams_[after.encoder];
    encoder.blocks = std::max(encoder.blocks, after.blocks);
    encoder.dim = after.dim;
    encoder.heads = attention.attention.heads;
    encoder.special = after.special;
    encoder.gelu = mlp.gelu.kind;
    encoder.rows = after.rows;
    encoder.map = after.map;
  }
  set(value, std::move(after));
  return true;
}

bool Translation::followMaskHead(const std::string& value) {
  const std::optional<FoundMaskHead> head = findMaskHead(facts_, value);
  if (!head) return false;
  const Tokens* patches = outside(head->patches);
  if (patches == nullptr || !patches->isImageOnly() || patches->isScores) return false;
  const Tokens image = *patches;
  const Tokens* classes = outside(head->classes);
  const std::vector<Part> special{{false, 0, image.special}};
  if (classes == nullptr || classes->blob != image.blob || classes->parts != special) return false;
  const auto isSquare = [&](const FoundLinear& linear) {
    return inOf(facts_.model, linear) == image.dim && outOf(facts_.model, linear) == image.dim;
  };
  if (image.special < 1 || !isSquare(head->projPatch) || !isSquare(head->projClasses) ||
      !fits(facts_.model, head->norm, image.special))
    return false;
  set(value, emit_.maskHead(image, *head));
  return true;
}

bool Translation::followRowWise(const std::string& value) {
  const std::optional<FoundNormalize> norm = findNormalize(facts_.model, value);
  const std::optional<FoundLinear> linear = norm ? std::nullopt : findLinear(facts_.model, value);
  if (!norm && !linear) return false;
  const std::string input = norm ? norm->input : linear->input;
  const Integers* dims = facts_.values.dims(input);
  if (dims == nullptr || dims->empty()) return false;
  const std::int64_t dim = dims->back();
  if (norm ? !fits(facts_.model, *norm, dim) : inOf(facts_.model, *linear) != dim) return false;
  const auto emit = [&](const auto& in) {
    return norm ? emit_.normalize(in, *norm) : emit_.linear(in, *linear);
  };
  const std::string rows = behindRowViews(facts_, input);
  if (norm) tokensToBe(rows);
  const Tokens* before = outside(rows);
  if (before != nullptr && before->isScores) return false;
  if (before == nullptr || before->isSpecialOnly()) {
    const Integers* after = facts_.values.dims(value);  // a bias may raise the rank
    if ((dims->size() != 2 && dims->size() != 3) || after == nullptr ||
        after->size() != dims->size())
      return false;
    dense_[value] = emit(planned(input).value_or(input));
    return true;
  }
  if (before->dim != dim) return false;
  Tokens after = emit(*before);
  after.inEncoder = before->inEncoder && before->blocks == 0;
  set(value, std::move(after));
  return true;
}

}  // namespace mpm::onnx
