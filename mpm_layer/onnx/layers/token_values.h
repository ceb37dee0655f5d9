// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "onnx/layers/blocks.h"
#include "onnx/layers/emit.h"
#include "onnx/layers/translate.h"

namespace mpm::onnx {

// Tracks each value of a model. It is in an embedding, which constants may still be added to, or in
// a token blob of the plan. Without image rows it may have a separate blob. Plans the conversions
// between these forms: patches, restores, and values as the model has them.
class TokenValues {
 public:
  TokenValues(const AnalysedModel& analysed, const TranslateOptions& options, Emitter& emit)
      : analysed_(analysed), options_(options), emit_(emit) {}

  bool hasEmbedding() const { return !embeddings_.empty(); }
  std::int64_t batch() const { return embeddings_.begin()->second.batch; }  // of one that has it

  // Enters the block that values are read from. Inside it, its stream is the merged one, and
  // nothing is restored. Null: none.
  void enter(const Block* block) { inside_ = block; }
  bool isInside() const { return inside_ != nullptr; }
  // Tells whether that block's stream has its rows window by window.
  bool isStreamDealt();

  // Notes a value that is an embedding; false for others.
  bool takeEmbedding(const std::string& value);
  void setTokens(const std::string& value, Tokens tokens);
  void setDense(const std::string& value, const std::string& blob) { dense_[value] = blob; }

  // Tells whether a value is an embedding, or in a token blob.
  bool isThere(const std::string& value) const;
  // Returns null if the value is not in a token blob.
  const Tokens* tokens(const std::string& value);
  // Returns tokens as well. An embedding becomes tokens, and nothing more is added to it.
  const Tokens* tokensToBe(const std::string& value);
  // Returns tokens for nodes outside the encoder's blocks: restored ones if that is early.
  const Tokens* outside(const std::string& value);
  // Notes that a part only fits the model's own grid, although another one is requested. `what`: a
  // clause that names it.
  void noteOwnGrid(std::string what) { ownGrid_ = std::move(what); }
  const std::string& needsOwnGrid() const { return ownGrid_; }  // empty: nothing does
  // Tells whether the model's own sizes hold: no other grid is requested.
  bool hasOwnGrid() const;

  // Returns the embedding that a stream was made from, by the blob before its blocks.
  const Embedding& embeddingOf(const std::string& blob) const { return encoders_.at(blob); }

  // Returns an embedding with a picture that is not a whole number of patches; null if there is
  // none. A convolution cuts off the rest, which a token blob cannot.
  const Embedding* oddEmbedding() const;

  // Returns the blob of a value as the model has it, with all its rows restored. Returns
  // std::nullopt if the value is unknown or its rows have other dimensions.
  std::optional<std::string> whole(const std::string& value);

 private:
  const Embedding* embedding(const std::string& value) const;
  // Tell whether a value has its rows in other dimensions; in those of the grid, [B, H, W, D].
  bool isFlat(const std::string& value, const Tokens& tokens) const;
  bool isGrid(const std::string& value, const Tokens& tokens) const;
  // Returns the dimensions, whatever they are, of a value with its rows window by window, for any
  // batch.
  std::optional<Integers> dimsInWindows(const std::string& value, const Tokens& tokens) const;
  // Tells whether no other grid than the model's is requested.
  bool isOwnGrid(const Embedding& embedding) const;
  const Tokens* asPlanned(const std::string& value);  // whatever block it is asked for from
  const Tokens* mergedStream();
  Tokens restored(const Tokens& tokens);
  std::string planWhole(const Tokens& tokens);
  std::string planWindows(const Tokens& tokens);

  const AnalysedModel& analysed_;
  TranslateOptions options_;
  Emitter& emit_;
  const Block* inside_ = nullptr;
  std::string ownGrid_;
  std::unordered_map<std::string, Embedding> embeddings_;
  std::unordered_map<std::string, Tokens> tokens_;
  std::unordered_map<std::string, std::string> dense_;
  std::unordered_map<std::string, Embedding> encoders_;  // by PatchEmbed's blob
  std::unordered_map<std::string, Tokens> merged_;       // by a block's stream
  std::unordered_map<std::string, Tokens> restored_;     // by blob
  std::unordered_map<std::string, Tokens> early_;        // by value
  std::unordered_map<std::string, std::string> whole_;   // by value
};

}  // namespace mpm::onnx
