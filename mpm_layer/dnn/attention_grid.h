// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"
#include "vit/grid_attention.h"

namespace mpm::dnn {

/// What an mpm.Attention knows of the grid that its rows come from: the windows within which they
/// attend, and what the distance between two of them adds.
class AttentionGrid {
 public:
  /// [height, width] each, or empty: no grid; a window as large as the grid.
  AttentionGrid(const LayerIdentity& layer, const std::vector<int>& grid,
                const std::vector<int>& window);

  bool isThere() const { return grid_.height > 0; }
  bool hasDistancesOrOutside() const { return down_.data != nullptr || outside_.data != nullptr; }
  /// Of q, k and v with `width` features each, `d` of a head.
  void readWeights(const LayerInputs& inputs, const TokenShape& shape, int d, int width);
  void packWeights();

  /// Of live rows that have these members. Throws where one has members in two windows. Refers to
  /// this and to `members` until it is called again.
  vit::GridPositions positions(const vit::Members& members);

 private:
  LayerIdentity layer_;
  vit::WindowGrid grid_;
  ConstRows down_, across_;
  ConstRows outside_;

  bool hasDistances_ = false;
  vit::DistanceTables distances_;
  std::vector<float> packedOutside_;

  // Nothing in these outlives a forward.
  std::vector<std::int32_t> windowOfLive_;
  vit::RowWindows windows_;
};

}  // namespace mpm::dnn
