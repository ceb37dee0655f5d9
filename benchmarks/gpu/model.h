// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mpm::bench {

/// A Segmenter with a mask decoder, for pictures of `side` x `side`.
struct ModelSize {
  const char* name;
  int dim, depth, heads;
  int decoderDepth = 2, classes = 150, patch = 16, side = 512;

  int grid() const { return side / patch; }
  int tokens() const { return grid() * grid(); }
};

/// ViT-T, S, B and L of 16 x 16 patches.
const std::vector<ModelSize>& modelSizes();

/// One layer of mpm/layers.h, its constants float32 on the host.
struct LayerSpec {
  std::string kind, name;
  std::map<std::string, std::vector<double>> numbers;
  std::vector<std::pair<std::string, at::Tensor>> constants;

  const at::Tensor& constant(const std::string& wanted) const;
};

struct Model {
  ModelSize size;
  LayerSpec embed, norm, decoderLinear, classRows, decoderNorm, head;
  std::vector<LayerSpec> blocks, decoderBlocks;
};

/// Drawn weights, the same for the same seed: normal ones cut off at two deviations of 0.02, as
/// Vision Transformers are before they learn; norms scale by 1.
Model drawnModel(const ModelSize& size, std::uint64_t seed);

}  // namespace mpm::bench
