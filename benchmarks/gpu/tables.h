// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/cuda.h>

#include <string>
#include <vector>

#include "model.h"
#include "mpm/runner.h"
#include "paired.h"
#include "report.h"

/// What is measured, row by row; `images` [B, 3, H, W] lie on the device.
namespace mpm::bench {

/// Times on a device, in pairs: each side is called `calls` times and then waited for, so that what
/// beginning and waiting cost is shared by all of them.
class DeviceClock {
 public:
  explicit DeviceClock(bool isGpu) : isGpu_(isGpu) {}

  void wait() const {
    if (isGpu_) torch::cuda::synchronize();
  }

  template <class Ours, class Peer>
  Paired pairs(const Ours& ours, const Peer& peer, int calls, int runs = 31) const {
    const auto repeated = [&](const auto& call) {
      return [this, &call, calls] {
        for (int i = 0; i < calls; ++i) call();
        wait();
      };
    };
    Paired paired = measurePaired(repeated(ours), repeated(peer), runs, 6000);
    paired.oursMs /= calls;
    paired.peerMs /= calls;
    return paired;
  }

 private:
  bool isGpu_;
};

/// How large things are measured.
struct Scale {
  int batch = 32;
  int mostTokens = 16384;  ///< of the large merge
  bool isGpu = true;
};

/// The merge of embedded pictures against PyTorch's eager steps, against reading the tokens and one
/// product, and its memory where N is large.
std::vector<Row> mergeRows(const at::Tensor& images, const Scale& scale);

/// The map on the device against the reference's: the share of rows whose choice is clear (by more
/// than 1e-5) and which are merged alike. 1 is right.
Row mapRow(const at::Tensor& images, const Scale& scale);

/// Frames a second of a Segmenter: merged before blocks 2 and 5 against full tokens, and full
/// tokens against PyTorch eager in the same precision; goals where they are set for it. `image`:
/// the blob of `images`.
std::vector<Row> networkRows(Runner& runner, const Model& model, const std::string& precision,
                             const at::Tensor& images, const RunnerBlob& image, const Scale& scale);

/// Scores against PyTorch's, full tokens: the largest difference.
Row scoresRow(Runner& runner, const Model& model, const std::string& precision,
              const at::Tensor& images, const RunnerBlob& image);

}  // namespace mpm::bench
