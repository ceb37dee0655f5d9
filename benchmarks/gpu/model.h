// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
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

/// A network's weights by the names that Segmenter has for them.
using Tensors = std::map<std::string, at::Tensor>;

/// What street_weights.py wrote. Throws std::runtime_error.
Tensors readTensors(const std::string& path);

/// Drawn weights, the same for the same seed: normal ones cut off at two deviations of 0.02, as
/// Vision Transformers are before they learn; norms scale by 1.
Tensors drawnTensors(const ModelSize& size, std::uint64_t seed);

/// A model of these weights, which may be those of a smaller one. How many tokens merge depends on
/// what a network has learned, and drawn weights merge little; but what a product costs does not
/// depend on its values. So features, heads and classes are the smaller model's over and over, and
/// each weight is divided by how often its input occurs: each layer computes the same, wider. In a
/// deeper encoder blocks stand twice, with half of what they add.
Model modelOf(const ModelSize& size, const Tensors& weights);

}  // namespace mpm::bench
