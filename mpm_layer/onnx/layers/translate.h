// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/gelu.h"
#include "onnx/layers/plan.h"
#include "onnx/layers/position_tables.h"
#include "onnx/operators/values.h"
#include "onnx/recognise/tokens.h"

namespace mpm::onnx {

struct TranslateOptions {
  bool lateRestore = true;
  std::int64_t gridHeight = 0, gridWidth = 0;  // of the image tokens; 0: the model's own
  bool proportional = false;                   // attention of the encoder
  PositionTables tables{};                     // for another grid
};

// A value before a block, and the rows that it has.
struct Stream {
  std::string value;
  Tokens rows;
};

// Encoder that was recognised in a model; the one with most blocks if there are several.
struct Encoder {
  std::string stream;  // the blob in front of its blocks
  int blocks = 0;
  std::int64_t dim = 0, heads = 0, special = 0, patch = 0;
  std::int64_t gridHeight = 0, gridWidth = 0;  // the model's own
  std::optional<Gelu> gelu;                    // of its blocks
  std::string image;                           // the value that is cut into patches
  std::string head;                            // a few words on what follows
  std::string obstacle;                        // why it cannot be translated; empty: it can
  int lastInWindows = -1;                      // the last block that attends within windows
  std::string features;         // the model's value behind the last block, normalised where it is
  Tokens featureRows;           // the rows of that value
  std::vector<Stream> streams;  // in front of its blocks but the first, where they have all rows
  std::vector<Encoder> others;
};

struct Translation {
  Encoder encoder;
  Plan plan;  // where there is an obstacle: of what is known all the same, without merges
};

// Finds the attention of a model and its blocks (Blocks). Follows values from the image on
// (AttentionSteps, RowSteps), notes which token blob each is in (TokenValues), and plans the layers
// that make these blobs (Emitter). Keeps those that the outputs need (NeededLayers), and fuses the
// layers of plain blocks (fuseBlocks). Unrecognised nodes stay and read restored values. Merges
// come before all blocks of the encoder, not enabled.
Translation translate(const AnalysedModel& analysed, const TranslateOptions& options);

}  // namespace mpm::onnx
