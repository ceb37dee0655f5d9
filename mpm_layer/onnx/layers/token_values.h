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

// Where each value of a model stands: in an embedding, to which constants may still be added; in a
// token blob of the plan; or, if it has no image rows, in a blob of its own. Plans what changes
// between these forms: patches, restores, and values as the model has them.
class TokenValues {
 public:
  TokenValues(const AnalysedModel& analysed, const TranslateOptions& options, Emitter& emit)
      : analysed_(analysed), options_(options), emit_(emit) {}

  bool hasEmbedding() const { return !embeddings_.empty(); }
  std::int64_t batch() const { return embeddings_.begin()->second.batch; }  // of one that has it

  // Which block the values are asked for from: inside one its stream is the merged one, and
  // nothing is restored. Null: none.
  void enter(const Block* block) { inside_ = block; }
  bool isInside() const { return inside_ != nullptr; }
  // Whether the stream of that block has its rows window by window.
  bool isStreamDealt();

  // Notes a value that is an embedding; false for others.
  bool takeEmbedding(const std::string& value);
  void setTokens(const std::string& value, Tokens tokens);
  void setDense(const std::string& value, const std::string& blob) { dense_[value] = blob; }

  // Whether a value is an embedding, or stands in a token blob.
  bool isThere(const std::string& value) const;
  // Null where the value does not stand in a token blob.
  const Tokens* tokens(const std::string& value);
  // The same; an embedding, which nothing is added to any more, becomes tokens.
  const Tokens* tokensToBe(const std::string& value);
  // For whatever is not a block of the encoder: restored ones, where that is early.
  const Tokens* outside(const std::string& value);
  // That something belongs to the model's own grid, and another one is asked for: a clause that
  // says what.
  void noteOwnGrid(std::string what) { ownGrid_ = std::move(what); }
  const std::string& needsOwnGrid() const { return ownGrid_; }  // empty: nothing does
  // Whether sizes that the model has hold: no other grid is asked for.
  bool hasOwnGrid() const;

  // What a stream of tokens was made from, by the blob in front of its blocks.
  const Embedding& embeddingOf(const std::string& blob) const { return encoders_.at(blob); }

  // An embedding whose picture is no whole number of them, which a convolution cuts
  // off and a token blob cannot; null where there is none.
  const Embedding* oddEmbedding() const;

  // The blob of a value as the model has it, all of its rows restored; nothing where it stands
  // nowhere or its rows have other dimensions.
  std::optional<std::string> whole(const std::string& value);

 private:
  const Embedding* embedding(const std::string& value) const;
  // Whether the value has its rows in other dimensions; in those of the grid, [B, H, W, D].
  bool isFlat(const std::string& value, const Tokens& tokens) const;
  bool isGrid(const std::string& value, const Tokens& tokens) const;
  // Of a value that has its rows window by window the dimensions, whatever they are, for any batch.
  std::optional<Integers> dimsInWindows(const std::string& value, const Tokens& tokens) const;
  // Whether the grid that is asked for, if any, is that of the model.
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
