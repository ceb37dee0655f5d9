// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "clock.h"
#include "model.h"
#include "report.h"

namespace mpm::bench {

/// How large things are measured.
struct Scale {
  int batch = 32;
  int mostTokens = 16384;  ///< of the large merge
  bool isGpu = true;
};

/// The merge of embedded pictures against PyTorch's eager steps, against reading the tokens and one
/// product, and its memory where N is large. `images` [B, 3, H, W] on the device.
std::vector<Row> mergeRows(const at::Tensor& images, const Scale& scale);

/// The map on the device against the reference's: the share of rows whose choice is clear (by more
/// than 1e-5) and which are merged alike. 1 is right.
Row mapRow(const at::Tensor& images, const Scale& scale);

}  // namespace mpm::bench
