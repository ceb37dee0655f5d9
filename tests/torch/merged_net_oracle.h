// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "onnx/graph/model.h"

namespace mpm::test {

/// Values of a net by name, for one image: the first dimension is 1. float64, or int64.
using NetValues = std::map<std::string, at::Tensor>;

/// A merge that took place. Live image rows are counted from 0.
struct MergeStage {
  int block = 0;    ///< how many blocks stood before it
  at::Tensor best;  ///< [n] int64: the most similar row of each of the n rows that came in
  at::Tensor gap;   ///< [n]: how much less similar the second is; infinite where there is none
  at::Tensor map;   ///< [N] int64: the row of each original image token behind the merge
};

struct NetRun {
  NetValues outputs;
  std::vector<MergeStage> merges;  ///< in the order of the net
  int blocks = 0;                  ///< how many have been computed
};

/// What a converted file of a plain ViT gives for one image, in float64 and eager LibTorch. Token
/// blobs are as long as their live rows, so nothing undefined exists that a node could read. Knows
/// the contracts of mpm/layers.h, and merges as the paper prints it (torch/oracle.h); nothing of
/// the project's arithmetic. std::runtime_error, with the node, on any that it does not know or
/// that contradicts the contracts.
NetRun runNet(const onnx::Model& model, const NetValues& inputs);

}  // namespace mpm::test
