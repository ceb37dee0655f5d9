// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpm/runner.h"

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

/// What inputs.py wrote. Throws std::runtime_error.
Tensors readTensors(const std::string& path);

/// A model of these weights, which may be those of a smaller one. How many tokens merge depends on
/// what a network has learned; but what a product costs does not
/// depend on its values. So features, heads and classes are the smaller model's over and over, and
/// each weight is divided by how often its input occurs: each layer computes the same, wider. In a
/// deeper encoder blocks stand twice, with half of what they add.
Model modelOf(const ModelSize& size, const Tensors& weights);

/// A model as a cv::dnn::Net that readNet made would hand it to a runner: layer by layer,
/// merged before the blocks of `schedule`, scores restored at the very end.
class RunnerVit {
 public:
  RunnerVit(Runner& runner, const Model& model, const std::vector<int>& schedule,
            const std::string& precision);
  ~RunnerVit();

  /// image: a blob [B, 3, H, W]. Begins everything, waits at merges alone. Blobs: scores [B, N,
  /// classes] and, of the last merge, rows [B, 1] and map [B, N].
  struct Output {
    RunnerBlob scores, rows, map;
  };
  Output forward(const RunnerBlob& image);

 private:
  struct Tokens;
  std::unique_ptr<RunnerLayer> make(const LayerSpec& spec);
  void apply(RunnerLayer& layer, Tokens& tokens, bool withMap);

  Runner& runner_;
  ModelSize size_;
  std::vector<int> schedule_;
  std::string precision_;
  std::unique_ptr<RunnerLayer> embed_, norm_, linear_, classRows_, decoderNorm_, head_, restore_;
  std::vector<std::unique_ptr<RunnerLayer>> blocks_, merges_, decoderBlocks_;
};

/// The same as a user of PyTorch would write it: eager, all tokens, attention by
/// scaled_dot_product_attention, everything in `type`.
class PlainVit {
 public:
  PlainVit(const Model& model, at::Device device, at::ScalarType type);

  /// image [B, 3, H, W] -> scores [B, N, classes].
  at::Tensor forward(const at::Tensor& image) const;

 private:
  LayerSpec moved(const LayerSpec& spec) const;

  at::Device device_;
  at::ScalarType type_;
  Model model_;
};

}  // namespace mpm::bench
