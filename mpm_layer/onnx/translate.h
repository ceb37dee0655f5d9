// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/emit.h"

namespace mpm::onnx {

struct TranslateOptions {
  bool lateRestore = true;
  std::int64_t gridHeight = 0, gridWidth = 0;  // of the image tokens; 0: the model's own
};

// What was recognised in a model.
struct Encoder {
  int blocks = 0;
  std::int64_t dim = 0, heads = 0, special = 0, patch = 0;
  std::int64_t gridHeight = 0, gridWidth = 0;  // the model's own
  GeluKind gelu = GeluKind::erf;
  std::string image;      // the value that is cut into patches
  std::string head;       // a few words on what follows
  std::string obstacle;   // why it cannot be translated; empty: it can
  std::string rows, map;  // the last merge's
};

// Follows the values of a model from the image on, says in which token blob each stands, and plans
// the layers that make these blobs. Behind that, it looks from the outputs which of them are
// needed; what is not recognised stays and is given restored values. Merges stand in front of all
// of the encoder's blocks, none of them enabled.
class Translation {
 public:
  Translation(const Facts& facts, const TranslateOptions& options);

  const Encoder& encoder() const { return encoder_; }
  Plan& plan() { return plan_; }  // unless there is an obstacle

 private:
  void follow(const Node& node, const std::string& value);
  bool followEmbedding(const std::string& value);
  bool followBlock(const std::string& value);
  bool finishBlock(const std::string& value, const FoundAttentionHalf& attention,
                   const FoundMlpHalf& mlp);
  bool followMaskHead(const std::string& value);
  bool followRowWise(const std::string& value);
  bool followConcat(const Node& node, const std::string& value);
  bool followMean(const Node& node, const std::string& value);
  bool followRows(const Node& node, const std::string& value);
  bool followElementWise(const Node& node, const std::string& value);

  const Embedding* embedding(const std::string& value) const;
  const Tokens* tokens(const std::string& value) const;
  // The same; an embedding, which nothing is added to any more, becomes tokens.
  const Tokens* tokensToBe(const std::string& value);
  // For whatever is not a block of the encoder: restored ones, where that is early.
  const Tokens* outside(const std::string& value);
  Tokens restored(const Tokens& tokens);
  void set(const std::string& value, Tokens tokens);

  bool findEncoder();
  std::string whyNoEncoder();
  std::string whyNotSoftmax(const Node& softmax, std::int64_t batch);
  std::string whyNotTheNextBlock();
  std::string whyNotTheRest();
  bool isFinished(const std::string& half) const;

  void needOutputs();
  void need(const std::string& value, std::vector<std::string>& waiting);
  void needPlanned(const std::string& name, std::vector<std::string>& waiting);
  std::optional<std::string> planned(const std::string& value);
  std::string plainValue(const std::string& value, const Tokens& tokens);
  void finish();
  void keepOtherOutputs();
  void describeHead();

  const Facts& facts_;
  TranslateOptions options_;
  Plan plan_;
  Emitter emit_;
  Encoder encoder_;

  // What each value of the model is.
  std::unordered_map<std::string, Embedding> embeddings_;
  std::unordered_map<std::string, Tokens> tokens_;
  std::unordered_map<std::string, std::string> dense_;          // under another name
  std::unordered_map<std::string, FoundAttentionHalf> halves_;  // the middle of a block

  std::unordered_map<std::string, Embedding> encoders_;  // by PatchEmbed's blob
  std::unordered_map<std::string, Encoder> streams_;     // those with blocks
  std::unordered_map<std::string, Tokens> restored_;     // by blob
  std::unordered_map<std::string, Tokens> early_;        // by value
  std::unordered_map<std::string, std::string> plain_;   // by value
  std::unordered_map<const Node*, std::string> inside_;  // nodes of a block: its name

  std::unordered_set<std::string> needed_;
  std::unordered_set<std::size_t> neededNodes_;  // of the plan
  std::unordered_set<const Node*> kept_;         // nodes that stay
  std::vector<std::pair<std::string, std::string>> replacements_;
};

}  // namespace mpm::onnx
