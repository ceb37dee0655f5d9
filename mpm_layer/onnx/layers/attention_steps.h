// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "onnx/layers/blocks.h"
#include "onnx/layers/emit.h"
#include "onnx/layers/token_values.h"
#include "onnx/layers/translate.h"

namespace mpm::onnx {

// Plans the attention of a model's blocks, and notes which encoders they make up.
class AttentionSteps {
 public:
  AttentionSteps(const AnalysedModel& analysed, const Blocks& blocks, TokenValues& tokenValues,
                 Emitter& emit)
      : analysed_(analysed), blocks_(blocks), tokenValues_(tokenValues), emit_(emit) {}

  // Plans the attention that ends at this value; false if none does, or if it has other tokens.
  bool follow(const std::string& value);

  // Returns the encoders that have blocks, by the blob before the first block.
  const std::map<std::string, Encoder>& streams() const { return streams_; }

 private:
  // Tells whether an attention on a grid gets the rows of one, with the windows of the blocks
  // before it.
  bool fitsGrid(const FoundAttention& attention, const Tokens& tokens, bool isStreamDealt);
  void noteStream(const Tokens& after, std::int64_t dim, std::int64_t heads);

  const AnalysedModel& analysed_;
  const Blocks& blocks_;
  TokenValues& tokenValues_;
  Emitter& emit_;
  std::map<std::string, Encoder> streams_;
  std::map<std::string, Windows> windows_;  // that blocks of an encoder deal out
};

}  // namespace mpm::onnx
