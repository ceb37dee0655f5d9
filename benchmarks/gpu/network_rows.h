// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "merge_rows.h"
#include "model.h"
#include "mpm/runner.h"

namespace mpm::bench {

/// Frames a second of a Segmenter: merged before blocks 2 and 5 against full tokens, and full
/// tokens against PyTorch eager in the same precision; goals where they are set for it. `image`:
/// the blob of `images` [B, 3, H, W].
std::vector<Row> networkRows(Runner& runner, const Model& model, const std::string& precision,
                             const at::Tensor& images, const RunnerBlob& image, const Scale& scale);

/// Scores against PyTorch's, full tokens: the largest difference.
Row scoresRow(Runner& runner, const Model& model, const std::string& precision,
              const at::Tensor& images, const RunnerBlob& image);

}  // namespace mpm::bench
