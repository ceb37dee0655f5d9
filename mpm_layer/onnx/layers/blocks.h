// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "onnx/layers/emit.h"
#include "onnx/layers/loose_blocks.h"
#include "onnx/layers/standing.h"
#include "onnx/layers/translate.h"

namespace mpm::onnx {

// As a sentence has it.
inline std::string nameOfBlock(int block) { return "block " + std::to_string(block); }

// The transformer blocks of a model: those of its encoders, each with a merge in front, and those
// of their heads.
class Blocks {
 public:
  // loose: those that are planned node by node, but for their attention; or null.
  Blocks(const Facts& facts, Standing& standing, Emitter& emit, const LooseBlocks* loose)
      : facts_(facts), standing_(standing), emit_(emit), loose_(loose) {}

  // Plans the block that ends at this value, or a loose one's attention that does, or notes the
  // half that does; false where none does.
  bool follow(const std::string& value);

  // The encoders that have blocks, by the blob in front of these.
  const std::map<std::string, Encoder>& streams() const { return streams_; }
  // The block that a node stands in, as a sentence names it; null for others.
  const std::string* around(const Node* node) const;
  // Whether the first half of a block, attention, ends there; and whether its block was planned.
  bool isHalf(const std::string& value) const { return halves_.count(value) != 0; }
  bool isFinished(const std::string& half) const;

 private:
  struct Half {
    FoundAttentionHalf found;
    bool inWindows = false;
  };

  // The attention half that ends at this value, over all rows or within windows.
  std::optional<Half> attentionHalf(const std::string& value) const;
  bool finish(const std::string& value, const Half& half, const FoundMlpHalf& mlp);
  bool followLoose(const std::string& value, const FoundAttention& attention);
  // Whether the rows of an attention that looks at a grid are those of one, and its windows those
  // of the blocks in front.
  bool fitsGrid(const FoundAttention& attention, const Tokens& tokens);
  // The tokens as a block takes them; nothing where it cannot.
  std::optional<Tokens> inFront(const std::string& stream, const FoundMlpHalf& mlp);
  void noteStream(const Tokens& after, std::int64_t dim, std::int64_t heads);

  const Facts& facts_;
  Standing& standing_;
  Emitter& emit_;
  const LooseBlocks* loose_;
  std::unordered_map<std::string, Half> halves_;  // by the value behind it
  std::map<std::string, Encoder> streams_;
  std::map<std::string, Windows> windows_;  // that blocks of an encoder deal out
  std::unordered_map<const Node*, std::string> inside_;
};

}  // namespace mpm::onnx
