// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "onnx/emit.h"
#include "onnx/standing.h"
#include "onnx/translate.h"

namespace mpm::onnx {

// The transformer blocks of a model: those of its encoders, each with a merge in front, and those
// of their heads.
class Blocks {
 public:
  Blocks(const Facts& facts, Standing& standing, Emitter& emit)
      : facts_(facts), standing_(standing), emit_(emit) {}

  // Plans the block that ends at this value, or notes the half that does; false where neither does.
  bool follow(const std::string& value);

  // The encoders that have blocks, by the blob in front of these.
  const std::unordered_map<std::string, Encoder>& streams() const { return streams_; }
  // The block that a node stands in, as a sentence names it; null for others.
  const std::string* around(const Node* node) const;
  // Whether the first half of a block, attention, ends there; and whether its block was planned.
  bool isHalf(const std::string& value) const { return halves_.count(value) != 0; }
  bool isFinished(const std::string& half) const;

 private:
  bool finish(const std::string& value, const FoundAttentionHalf& attention,
              const FoundMlpHalf& mlp);
  // The tokens as a block takes them; nothing where it cannot.
  std::optional<Tokens> inFront(const std::string& stream, const FoundMlpHalf& mlp);
  void noteStream(const Tokens& after, const FoundAttentionHalf& attention,
                  const FoundMlpHalf& mlp);

  const Facts& facts_;
  Standing& standing_;
  Emitter& emit_;
  std::unordered_map<std::string, FoundAttentionHalf> halves_;  // by the value behind it
  std::unordered_map<std::string, Encoder> streams_;
  std::unordered_map<const Node*, std::string> inside_;
};

}  // namespace mpm::onnx
