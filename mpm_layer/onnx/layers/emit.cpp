// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/emit.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "contract/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/positions.h"

namespace mpm::onnx {

namespace {

LinearRows allRows(const FoundLinear& linear) {
  return {linear.weight, linear.bias, linear.outByIn, {}, {}};
}

// Returns numbers for each head and feature in the order of features in rotary positions.
std::vector<float> inOrderOfPairs(const FoundProjection& projection, std::vector<float> numbers) {
  if (!projection.rotary) return numbers;
  const Integers& pair = projection.rotary->pair;
  std::vector<float> ordered = numbers;
  for (std::size_t at = 0; at < numbers.size(); ++at)
    ordered[at] =
        numbers[at / pair.size() * pair.size() + static_cast<std::size_t>(pair[at % pair.size()])];
  return ordered;
}

// Returns the projection [dim x C P P].
Weight projectionOf(const Model& model, const Embedding& embedding) {
  const std::int64_t dim = embedding.dim;
  if (!embedding.weight.empty()) {
    Weight weight = vectorWeight(model, "weight", embedding.weight);
    weight.dims = {dim, weight.dims[0] / dim};
    return weight;
  }
  return {"weight", {dim, dim}, [dim](const Model&, float* out) {
            std::fill_n(out, dim * dim, 0.0F);
            for (std::int64_t i = 0; i < dim; ++i) out[i * dim + i] = 1;
          }};
}

// Multiplies a weight's rows by factors, one for each row.
Weight scaledRows(Weight weight, const std::vector<float>& factors) {
  if (factors.empty()) return weight;
  std::int64_t count = 1;
  for (const std::int64_t dim : weight.dims) count *= dim;
  const auto width = static_cast<std::size_t>(count) / factors.size();
  weight.read = [read = std::move(weight.read), factors, width](const Model& model, float* out) {
    read(model, out);
    for (std::size_t i = 0; i < factors.size() * width; ++i) out[i] *= factors[i / width];
  };
  return weight;
}

}  // namespace

LinearRows rowsOf(const FoundProjection& projection) {
  LinearRows rows = allRows(projection.linear);
  rows.features = projection.features;
  if (projection.norm) return rows;  // whose scale it is
  rows.factors = inOrderOfPairs(projection, projection.scale);
  rows.shifts = inOrderOfPairs(projection, projection.shift);
  return rows;
}

const Node* Emitter::producer(const std::string& blob) const {
  for (auto added = plan_.nodes.rbegin(); added != plan_.nodes.rend(); ++added) {
    const auto& outputs = added->node.output();
    if (std::find(outputs.begin(), outputs.end(), blob) != outputs.end()) return &added->node;
  }
  return nullptr;
}

std::string Emitter::unused(const std::string& stem) {
  std::string name = "mpm/" + stem;
  const int count = names_[name]++;
  if (count > 0) name.append("_").append(std::to_string(count));
  return model_.unusedName(name);
}

Plan::NewNode& Emitter::add(LayerKind kind, const std::string& name, const Inputs& inputs,
                            std::vector<Weight> weights, const std::vector<std::string>& outputs) {
  Plan::NewNode added;
  added.node.set_domain("mpm");
  added.node.set_op_type(operatorOf(kind));
  added.node.set_name(name);
  for (const auto& [input, value] : inputs) {
    if (value.empty()) continue;
    added.inputNames.push_back(input);
    added.node.add_input(value);
  }
  for (const std::string& output : outputs) added.node.add_output(output);
  added.weights = std::move(weights);
  plan_.nodes.push_back(std::move(added));
  return plan_.nodes.back();
}

void Emitter::addNorm(const FoundNormalize& norm, const std::string& prefix,
                      std::vector<Weight>& weights) {
  if (!norm.scale.empty()) weights.push_back(vectorWeight(model_, prefix + "scale", norm.scale));
  if (!norm.shift.empty()) weights.push_back(vectorWeight(model_, prefix + "shift", norm.shift));
}

// Resizes positions in the model's own way if it has a table of them, else bilinearly.
std::vector<float> Emitter::onGrid(const std::vector<float>& positions, std::int64_t dim,
                                   const GridChange& change) const {
  if (auto own = tables_.onGrid(positions, dim, change)) return *std::move(own);
  return resizePositions(positions, dim, change.rows, change.columns, change.newRows,
                         change.newColumns);
}

Tokens Emitter::patchEmbed(const Embedding& embedding, std::int64_t height, std::int64_t width) {
  Tokens tokens;
  tokens.blob = unused("patch_embed");
  tokens.dim = embedding.dim;
  tokens.image = height * width;
  tokens.ownImage = embedding.gridHeight * embedding.gridWidth;
  tokens.gridHeight = height;
  tokens.gridWidth = width;
  tokens.hasOwnGrid = height == embedding.gridHeight && width == embedding.gridWidth;
  tokens.rowsFirst = embedding.rowsFirst;
  tokens.windows = embedding.windows;
  tokens.inEncoder = true;
  std::vector<Weight> weights;
  weights.push_back(scaledRows(projectionOf(model_, embedding), embedding.factors));
  if (!embedding.bias.empty())
    weights.push_back(scaledRows(vectorWeight(model_, "bias", embedding.bias), embedding.factors));
  std::vector<float> special;
  for (const Embedding::Segment& segment : embedding.segments) {
    if (segment.isImage) {
      tokens.parts.push_back({true});
      continue;
    }
    if (segment.count == 0) continue;
    tokens.parts.push_back({false, tokens.special, tokens.special + segment.count});
    tokens.special += segment.count;
    special.insert(special.end(), segment.values.begin(), segment.values.end());
  }
  const Embedding::Segment& image = embedding.imageSegment();
  if (!image.values.empty()) {
    const GridChange change{embedding.gridHeight, embedding.gridWidth, height, width};
    weights.push_back(ownedWeight(
        "position", {tokens.image, embedding.dim},
        tokens.hasOwnGrid ? image.values : onGrid(image.values, embedding.dim, change)));
  }
  if (tokens.special > 0)
    weights.push_back(ownedWeight("special", {tokens.special, embedding.dim}, std::move(special)));
  Plan::NewNode& node = add(LayerKind::patchEmbed, tokens.blob, {{"image", embedding.image}},
                            std::move(weights), {tokens.blob});
  setAttribute(node.node, "patch", embedding.patch);
  setAttribute(node.node, "grid", Integers{height, width});
  return tokens;
}

Tokens Emitter::merge(const Tokens& tokens, int beforeBlock) {
  Tokens merged = tokens;
  merged.blob = unused("merge_before_" + std::to_string(beforeBlock));
  merged.rows = merged.blob + "/rows";
  merged.map = merged.blob + "/map";
  Plan::NewNode& node = add(LayerKind::mutualPairMerge, merged.blob,
                            {{"tokens", tokens.blob}, {"rows", tokens.rows}, {"map", tokens.map}},
                            {}, {merged.blob, merged.rows, merged.map});
  setAttribute(node.node, "special", tokens.special);
  node.encoder = tokens.encoder;
  setAttribute(node.node, "before_block", std::int64_t{beforeBlock});
  setAttribute(node.node, "enabled", std::int64_t{0});
  return merged;
}

// Lets the merges so far of the tokens' encoder pair only within windows.
void Emitter::mergeWithin(const Tokens& tokens) {
  const std::vector<std::int64_t> window = tokens.windowOfRows();
  for (Plan::NewNode& added : plan_.nodes) {
    const bool isMerge = added.node.op_type() == operatorOf(LayerKind::mutualPairMerge);
    if (!isMerge || added.encoder != tokens.encoder || !added.weights.empty()) continue;
    added.weights.push_back(
        ownedWeight("regions", {1, tokens.image}, {window.begin() + tokens.special, window.end()}));
  }
}

Tokens Emitter::normalize(const Tokens& tokens, const FoundNormalize& norm) {
  Tokens after = tokens;
  after.blob = unused("normalize");
  std::vector<Weight> weights;
  addNorm(norm, "", weights);
  Plan::NewNode& node =
      add(LayerKind::normalize, after.blob, {{"tokens", tokens.blob}, {"rows", tokens.rows}},
          std::move(weights), {after.blob});
  setAttribute(node.node, "eps", norm.eps);
  if (!norm.isCentred) setAttribute(node.node, "centred", std::int64_t{0});
  return after;
}

Tokens Emitter::linear(const Tokens& tokens, const FoundRowLinear& linear) {
  LinearRows rows = allRows(linear.linear);
  rows.features = linear.features;
  rows.scale = linear.scale;
  Tokens after = tokens;
  after.blob = unused("linear");
  std::vector<Weight> weights{matrixWeight(model_, "weight", {rows})};
  after.dim = weights.front().dims.front();
  addBias(model_, "bias", {rows}, weights);
  Plan::NewNode& node =
      add(LayerKind::linear, after.blob, {{"tokens", tokens.blob}, {"rows", tokens.rows}},
          std::move(weights), {after.blob});
  node.linear = {std::move(rows)};
  if (linear.gelu != nullptr) setAttribute(node.node, "gelu", std::string(nameOf(*linear.gelu)));
  return after;
}

Tokens Emitter::maskHead(const Tokens& tokens, const FoundMaskHead& head) {
  Tokens scores = tokens;
  scores.blob = unused("mask_decoder_head");
  scores.dim = tokens.special;
  scores.special = 0;
  scores.parts = {{true}};
  scores.isScores = true;
  // The layer multiplies rows by a matrix [in x out], the transpose of a linear layer's.
  const auto turned = [](const FoundLinear& linear) {
    return std::vector<LinearRows>{{linear.weight, "", !linear.outByIn, {}, {}}};
  };
  std::vector<Weight> weights{matrixWeight(model_, "proj_patch", turned(head.projPatch)),
                              matrixWeight(model_, "proj_classes", turned(head.projClasses))};
  addNorm(head.norm, "norm_", weights);
  Plan::NewNode& node =
      add(LayerKind::maskDecoderHead, scores.blob, {{"tokens", tokens.blob}, {"rows", tokens.rows}},
          std::move(weights), {scores.blob});
  setAttribute(node.node, "special", tokens.special);
  setAttribute(node.node, "eps", head.norm.eps);
  return scores;
}

Tokens Emitter::addSpecial(const Tokens& tokens, std::int64_t count, std::vector<float> rows) {
  Tokens after = tokens;
  after.blob = unused("add_special");
  after.rows = after.blob + "/rows";
  after.special += count;
  for (Part& part : after.parts) {
    if (part.isImage) continue;
    part.begin += count;
    part.end += count;
  }
  Plan::NewNode& node =
      add(LayerKind::replaceSpecial, after.blob, {{"tokens", tokens.blob}, {"rows", tokens.rows}},
          {ownedWeight("special_rows", {count, tokens.dim}, std::move(rows))},
          {after.blob, after.rows});
  setAttribute(node.node, "special", tokens.special);
  setAttribute(node.node, "keep", std::int64_t{1});
  return after;
}

Tokens Emitter::replaceSpecial(const Tokens& tokens, std::int64_t count, std::vector<float> rows) {
  Tokens after = tokens;
  after.blob = unused("replace_special");
  after.rows = after.blob + "/rows";
  after.special = count;
  std::vector<Weight> weights;
  if (count > 0)
    weights.push_back(ownedWeight("special_rows", {count, tokens.dim}, std::move(rows)));
  Plan::NewNode& node =
      add(LayerKind::replaceSpecial, after.blob, {{"tokens", tokens.blob}, {"rows", tokens.rows}},
          std::move(weights), {after.blob, after.rows});
  setAttribute(node.node, "special", tokens.special);
  return after;
}

Tokens Emitter::restore(const Tokens& tokens) {
  if (tokens.map.empty()) return tokens;
  Tokens restored = tokens;
  restored.blob = unused("restore");
  restored.rows.clear();
  restored.map.clear();
  restored.isScores = false;
  Plan::NewNode& node = add(LayerKind::mergeRestore, restored.blob,
                            {{"tokens", tokens.blob}, {"map", tokens.map}}, {}, {restored.blob});
  setAttribute(node.node, "special", tokens.special);
  return restored;
}

std::string Emitter::mean(const Tokens& tokens, bool withSpecial) {
  const std::string mean = unused("mean");
  const std::string rows = tokens.map.empty() ? "" : tokens.rows;
  Plan::NewNode& node =
      add(LayerKind::meanRows, mean, {{"tokens", tokens.blob}, {"rows", rows}, {"map", tokens.map}},
          {}, {mean});
  setAttribute(node.node, "special", tokens.special);
  setAttribute(node.node, "with_special", std::int64_t{withSpecial});
  return mean;
}

std::string Emitter::normalize(const std::string& value, const FoundNormalize& norm) {
  Tokens row;
  row.blob = value;
  return normalize(row, norm).blob;
}

std::string Emitter::linear(const std::string& value, const FoundRowLinear& linear) {
  Tokens row;
  row.blob = value;
  return this->linear(row, linear).blob;
}

std::string Emitter::plain(const char* type, const std::vector<std::string>& inputs) {
  Plan::NewNode added;
  std::string stem = type;
  for (char& letter : stem) letter = static_cast<char>(std::tolower(letter));
  const std::string name = unused(stem);
  added.node.set_op_type(type);
  added.node.set_name(name);
  for (const std::string& input : inputs) added.node.add_input(input);
  added.node.add_output(name);
  plan_.nodes.push_back(std::move(added));
  return name;
}

std::string Emitter::integers(const std::string& stem, const Integers& values) {
  const std::string name = unused(stem);
  plan_.constants.push_back(
      integerTensor(name, {static_cast<std::int64_t>(values.size())}, values));
  return name;
}

std::string Emitter::slice(const std::string& blob, std::int64_t begin, std::int64_t end) {
  return plain("Slice",
               {blob, integers("begin", {begin}), integers("end", {end}), integers("axes", {1})});
}

// Layers that depend on the places of the model's grid that a row stands for.

namespace {

// Adds the norm of heads, with constants in the order of the heads' features. They are for one
// head, for each if heads differ, or for all together in a joint norm.
void addHeadNorm(const Model& model, const FoundProjection& projection, std::size_t d,
                 const std::string& name, std::vector<Weight>& weights) {
  const std::vector<float>& scale = projection.scale;
  const Integers& joint = projection.joint;
  const auto add = [&](const std::string& input, const std::string& constant) {
    std::vector<float> values(std::max(d, joint.size()), 1);
    if (!constant.empty()) {
      const Tensor tensor = *model.constant(constant);
      const Floats own = tensor.floats();
      values.assign(own.begin(), own.end());
    }
    std::vector<float> ordered(std::max({d, joint.size(), scale.size()}));
    for (std::size_t at = 0; at < ordered.size(); ++at) {
      std::size_t i = at % d;
      if (projection.rotary) i = static_cast<std::size_t>(projection.rotary->pair[i]);
      ordered[at] = values[joint.empty() ? i : static_cast<std::size_t>(joint[at])] *
                    (scale.empty() ? 1 : scale[at / d * d + i]);
    }
    const auto count = static_cast<std::int64_t>(ordered.size());
    weights.push_back(ownedWeight(input, {count}, std::move(ordered)));
  };
  const FoundNormalize& norm = *projection.norm;
  if (!norm.scale.empty() || !scale.empty()) add(name + "_scale", norm.scale);
  if (!norm.shift.empty()) add(name + "_shift", norm.shift);
}

// Returns a table of distances [2 places - 1, d].
Weight distanceWeight(const std::string& input, const std::vector<float>& table, std::int64_t d) {
  return ownedWeight(input, {static_cast<std::int64_t>(table.size()) / d, d}, table);
}

}  // namespace

void Emitter::addGrid(const Tokens& tokens, const FoundAttention& found,
                      std::vector<Weight>& weights) {
  if (found.distances) {
    weights.push_back(distanceWeight("distance_down", found.distances->down.table, found.headDim));
    weights.push_back(
        distanceWeight("distance_across", found.distances->across.table, found.headDim));
  }
  if (!tokens.windows.areThere()) return;
  if (tokens.windows.count() > 1) mergeWithin(tokens);
  const std::vector<LinearRows> rows{rowsOf(found.q), rowsOf(found.k), rowsOf(found.v)};
  // The linear layer makes these of zeros.
  if (!tokens.isPadded() || addBias(model_, "outside", rows, weights)) return;
  const std::int64_t width = 3 * found.heads * found.headDim;
  weights.push_back(
      ownedWeight("outside", {width}, std::vector<float>(static_cast<std::size_t>(width), 0.0F)));
}

Tokens Emitter::attention(const Tokens& tokens, const FoundAttention& found,
                          std::vector<Weight> positions, bool isBeside, bool isStreamDealt) {
  const std::string qkv = unused("qkv");
  const std::vector<LinearRows> rows{rowsOf(found.q), rowsOf(found.k), rowsOf(found.v)};
  std::vector<Weight> projections{matrixWeight(model_, "weight", rows)};
  addBias(model_, "bias", rows, projections);
  add(LayerKind::linear, qkv, {{"tokens", tokens.blob}, {"rows", tokens.rows}},
      std::move(projections), {qkv})
      .linear = rows;

  Tokens after = tokens;
  after.blob = unused("attention");
  after.dim = found.heads * found.headDim;
  std::vector<Weight> weights;
  if (found.q.norm) {
    const auto d = static_cast<std::size_t>(found.headDim);
    addHeadNorm(model_, found.q, d, "q_norm", weights);
    addHeadNorm(model_, found.k, d, "k_norm", weights);
  }
  std::move(positions.begin(), positions.end(), std::back_inserter(weights));
  const bool hasGrid = (found.distances || found.windows > 0) && tokens.isImageOnly();
  if (hasGrid) addGrid(tokens, found, weights);
  if (isStreamDealt) mergeWithin(tokens);
  Plan::NewNode& node = add(LayerKind::attention, after.blob,
                            {{"tokens", qkv}, {"rows", tokens.rows}, {"map", tokens.map}},
                            std::move(weights), {after.blob});
  setAttribute(node.node, "heads", found.heads);
  setAttribute(node.node, "scale", found.scale);
  setAttribute(node.node, "special", tokens.special);
  if (found.q.norm) {
    setAttribute(node.node, "norm", std::string(found.q.norm->isCentred ? "layer" : "rms"));
    setAttribute(node.node, "eps", found.q.norm->eps);
    if (!found.q.joint.empty()) setAttribute(node.node, "joint", std::int64_t{1});
  }
  if (hasGrid) setAttribute(node.node, "grid", Integers{tokens.gridHeight, tokens.gridWidth});
  if (hasGrid && found.windows > 0)
    setAttribute(node.node, "window", Integers{tokens.windows.height, tokens.windows.width});
  if (isBeside) setAttribute(node.node, "beside", std::int64_t{1});
  if (isStreamDealt) node.windowOf = tokens.windowOfRows();
  if (tokens.inEncoder) node.encoder = tokens.encoder;
  const bool isFree = !hasGrid && !isStreamDealt;
  if (!tokens.inEncoder || (isProportional_ && isFree))
    setAttribute(node.node, "counts", std::int64_t{1});
  return after;
}

Tokens Emitter::addRows(const Tokens& tokens, const std::vector<float>& rows,
                        const Embedding& embedding) {
  Tokens after = tokens;
  after.blob = unused("add_rows");
  std::vector<float> ordered = inOrder(rows, static_cast<std::size_t>(tokens.dim), tokens);
  if (!tokens.hasOwnGrid) {
    const auto image = ordered.begin() + static_cast<std::ptrdiff_t>(tokens.special * tokens.dim);
    const std::vector<float> resized =
        onGrid({image, ordered.end()}, tokens.dim,
               {embedding.gridHeight, embedding.gridWidth, tokens.gridHeight, tokens.gridWidth});
    ordered.erase(image, ordered.end());
    ordered.insert(ordered.end(), resized.begin(), resized.end());
  }
  Plan::NewNode& node =
      add(LayerKind::addRows, after.blob,
          {{"tokens", tokens.blob}, {"rows", tokens.rows}, {"map", tokens.map}},
          {ownedWeight("added", {tokens.special + tokens.image, tokens.dim}, std::move(ordered))},
          {after.blob});
  setAttribute(node.node, "special", tokens.special);
  return after;
}

}  // namespace mpm::onnx
