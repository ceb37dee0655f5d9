// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contract/runner.h"

namespace mpm::bench {

/// Size of a Segmenter with a mask decoder, for images of `side` x `side`.
struct ModelSize {
  const char* name;
  int dim, depth, heads;
  int decoderDepth = 2, classes = 150, patch = 16, side = 512;

  int grid() const { return side / patch; }
  int tokens() const { return grid() * grid(); }
};

/// Returns ViT-T, S, B and L with 16 x 16 patches.
const std::vector<ModelSize>& modelSizes();

/// One layer of mpm/layers.h, with its constants as float32 on the host.
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

/// A network's weights under Segmenter's names.
using Tensors = std::map<std::string, at::Tensor>;

/// Reads a file of inputs.py. Throws std::runtime_error.
Tensors readTensors(const std::string& path);

/// Builds a model from these weights, which may be a smaller model's. How many tokens merge depends
/// on the training, but a product's cost does not depend on values. So features, heads and classes
/// repeat the smaller model's, and each weight is divided by its input's repetitions: each layer
/// computes the same, wider. A deeper encoder has each block twice, with half of its effect.
Model modelOf(const ModelSize& size, const Tensors& weights);

/// Hands a model to a runner layer by layer, as a cv::dnn::Net from readNet does: merged before the
/// blocks of `schedule`, scores restored at the end.
class RunnerVit {
 public:
  RunnerVit(Runner& runner, const Model& model, const std::vector<int>& schedule,
            const std::string& precision);
  ~RunnerVit();

  /// `image` is a blob [B, 3, H, W]. Everything is started at once; only merges wait. Returns
  /// blobs: scores [B, N, classes] and the last merge's rows [B, 1] and map [B, N].
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

/// The same model as PyTorch's users write it: eager, unmerged, attention by
/// scaled_dot_product_attention, everything in `type`.
class PlainVit {
 public:
  PlainVit(const Model& model, at::Device device, at::ScalarType type);

  /// Maps image [B, 3, H, W] to scores [B, N, classes].
  at::Tensor forward(const at::Tensor& image) const;

 private:
  LayerSpec moved(const LayerSpec& spec) const;

  at::Device device_;
  at::ScalarType type_;
  Model model_;
};

}  // namespace mpm::bench
