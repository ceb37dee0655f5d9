// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpm/layer_kinds.h"
#include "onnx/layers/plan.h"
#include "onnx/layers/position_tables.h"
#include "onnx/recognise/embedding.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/tokens.h"

namespace mpm::onnx {

// Of a linear layer the rows that a projection takes. Those that follow each other are read in one
// go.
LinearRows rowsOf(const FoundProjection& projection);

// Adds nodes of the domain mpm to a plan, one for each thing that was found. What a layer gets and
// gives is in mpm/layers.h.
class Emitter {
 public:
  // isProportional: keys of the encoder count as often as the patches that they stand for.
  Emitter(const Model& model, Plan& plan, const PositionTables& tables, bool isProportional)
      : model_(model), plan_(plan), tables_(tables), isProportional_(isProportional) {}

  // On a grid of this size, whatever the embedding had.
  Tokens patchEmbed(const Embedding& embedding, std::int64_t height, std::int64_t width);
  // In front of a block of the encoder; at first not enabled.
  Tokens merge(const Tokens& tokens, int beforeBlock);
  Tokens normalize(const Tokens& tokens, const FoundNormalize& norm);
  Tokens linear(const Tokens& tokens, const FoundRowLinear& linear);
  // Of tokens that q, k and v are made from. Inside the encoder each key counts once,
  // unless attention is proportional, and free. `positions`:
  // what it knows of the places of its rows. isBeside: its block has had another one.
  // isStreamDealt: its rows are dealt out to windows in the whole of its block; merges that stand
  // in front of it then pair within windows. A layer of its own has no special rows in them.
  Tokens attention(const Tokens& tokens, const FoundAttention& attention,
                   std::vector<Weight> positions, bool isBeside, bool isStreamDealt);
  Tokens maskHead(const Tokens& tokens, const FoundMaskHead& head);
  // Rows of the model's own grid, in the order of the value, added to those of the tokens; resized
  // where these stand on a grid of another size. `embedding`: what the tokens come from.
  Tokens addRows(const Tokens& tokens, const std::vector<float>& rows, const Embedding& embedding);
  // These rows in front of the special ones, where the model has them in some other place.
  Tokens addSpecial(const Tokens& tokens, std::int64_t count, std::vector<float> rows);
  // These rows in place of the special ones; the image rows stay.
  Tokens replaceSpecial(const Tokens& tokens, std::int64_t count, std::vector<float> rows);
  Tokens restore(const Tokens& tokens);

  // [B, dim]: over the image's tokens, or the special ones too.
  std::string mean(const Tokens& tokens, bool withSpecial);
  // Rows begin to end of a blob [B, rows, dim].
  std::string slice(const std::string& blob, std::int64_t begin, std::int64_t end);
  std::string plain(const char* type, const std::vector<std::string>& inputs);

  // For values that are not tokens: [B, dim] or [B, rows, dim].
  std::string normalize(const std::string& value, const FoundNormalize& norm);
  std::string linear(const std::string& value, const FoundRowLinear& linear);

  // That a blob has the dimensions of a value of the model.
  void noteAlike(const std::string& blob, const std::string& value) {
    plan_.alike.emplace_back(blob, value);
  }

  std::string integers(const std::string& stem, const Integers& values);
  Plan::NewNode& last() { return plan_.nodes.back(); }
  // The node of the plan that makes a blob; null where none does.
  const Node* producer(const std::string& blob) const;

 private:
  using Inputs = std::vector<std::pair<std::string, std::string>>;  // name, value

  std::string unused(const std::string& stem);
  Plan::NewNode& add(LayerKind kind, const std::string& name, const Inputs& inputs,
                     std::vector<Weight> weights, const std::vector<std::string>& outputs);
  std::vector<float> onGrid(const std::vector<float>& positions, std::int64_t dim,
                            const GridChange& change) const;
  void mergeWithin(const Tokens& tokens);
  // Of attention on a grid: what it adds for distances, and its windows.
  void addGrid(const Tokens& tokens, const FoundAttention& found, std::vector<Weight>& weights);
  void addNorm(const FoundNormalize& norm, const std::string& prefix, std::vector<Weight>& weights);

  const Model& model_;
  Plan& plan_;
  const PositionTables& tables_;
  bool isProportional_;
  std::unordered_map<std::string, int> names_;
};

}  // namespace mpm::onnx
