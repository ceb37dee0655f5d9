// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model.h"
#include "mpm/runner.h"

namespace mpm::bench {

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
