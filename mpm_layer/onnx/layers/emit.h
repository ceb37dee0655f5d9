// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/layer_kinds.h"
#include "onnx/layers/plan.h"
#include "onnx/layers/position_tables.h"
#include "onnx/recognise/embedding.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/tokens.h"

namespace mpm::onnx {

// Returns the rows of a linear layer that a projection takes. Consecutive ones are read in one go.
LinearRows rowsOf(const FoundProjection& projection);

// Adds nodes of the domain mpm to a plan, one for each recognised part. mpm/layers.h describes the
// layers' inputs and outputs.
class Emitter {
 public:
  // isProportional: keys of the encoder count once for each patch that they stand for.
  Emitter(const Model& model, Plan& plan, const PositionTables& tables, bool isProportional)
      : model_(model), plan_(plan), tables_(tables), isProportional_(isProportional) {}

  // Embeds patches on a grid of this size, whatever grid the embedding has.
  Tokens patchEmbed(const Embedding& embedding, std::int64_t height, std::int64_t width);
  // Adds a merge before a block of the encoder, not enabled.
  Tokens merge(const Tokens& tokens, int beforeBlock);
  Tokens normalize(const Tokens& tokens, const FoundNormalize& norm);
  Tokens linear(const Tokens& tokens, const FoundRowLinear& linear);
  // Takes the tokens that q, k and v are made from. Inside the encoder each key counts once, unless
  // attention is proportional and neither on a grid nor in windows. `positions`: weights for the
  // places of its rows. isBeside: its block has an attention already. isStreamDealt: the whole
  // block has its rows window by window. Merges before it then pair within windows. Attention on a
  // grid has no special rows.
  Tokens attention(const Tokens& tokens, const FoundAttention& attention,
                   std::vector<Weight> positions, bool isBeside, bool isStreamDealt);
  Tokens maskHead(const Tokens& tokens, const FoundMaskHead& head);
  // Adds rows of the model's own grid, in the order of the value, to the tokens. Resizes them if
  // the tokens are on another grid. `embedding`: the embedding of the tokens.
  Tokens addRows(const Tokens& tokens, const std::vector<float>& rows, const Embedding& embedding);
  // Puts rows before the special ones, for a model that has them in another place.
  Tokens addSpecial(const Tokens& tokens, std::int64_t count, std::vector<float> rows);
  // Replaces the special rows; the image rows stay.
  Tokens replaceSpecial(const Tokens& tokens, std::int64_t count, std::vector<float> rows);
  Tokens restore(const Tokens& tokens);

  // Returns [B, dim], the mean of the image's tokens, or of all tokens withSpecial.
  std::string mean(const Tokens& tokens, bool withSpecial);
  // Takes rows begin to end of a blob [B, rows, dim].
  std::string slice(const std::string& blob, std::int64_t begin, std::int64_t end);
  std::string plain(const char* type, const std::vector<std::string>& inputs);

  // For values that are not tokens: [B, dim] or [B, rows, dim].
  std::string normalize(const std::string& value, const FoundNormalize& norm);
  std::string linear(const std::string& value, const FoundRowLinear& linear);

  // Notes that a blob has the dimensions of a value of the model.
  void noteAlike(const std::string& blob, const std::string& value) {
    plan_.alike.emplace_back(blob, value);
  }

  std::string integers(const std::string& stem, const Integers& values);
  Plan::NewNode& last() { return plan_.nodes.back(); }
  // Returns the plan's node that makes a blob; null if none does.
  const Node* producer(const std::string& blob) const;

 private:
  using Inputs = std::vector<std::pair<std::string, std::string>>;  // name, value

  std::string unused(const std::string& stem);
  Plan::NewNode& add(LayerKind kind, const std::string& name, const Inputs& inputs,
                     std::vector<Weight> weights, const std::vector<std::string>& outputs);
  std::vector<float> onGrid(const std::vector<float>& positions, std::int64_t dim,
                            const GridChange& change) const;
  void mergeWithin(const Tokens& tokens);
  // Adds the weights of attention on a grid: distances, and the cells outside the grid.
  void addGrid(const Tokens& tokens, const FoundAttention& found, std::vector<Weight>& weights);
  void addNorm(const FoundNormalize& norm, const std::string& prefix, std::vector<Weight>& weights);

  const Model& model_;
  Plan& plan_;
  const PositionTables& tables_;
  bool isProportional_;
  std::unordered_map<std::string, int> names_;
};

}  // namespace mpm::onnx
