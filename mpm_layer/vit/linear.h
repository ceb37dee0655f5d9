// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/rows.h"

namespace mpm::vit {

struct PackedLinear;

/// Of a linear layer from K features to M: weight [M x K], bias [M] or null.
struct LinearWeights {
  ConstRows weight;
  const float* bias = nullptr;
};

/// out [n x M] = in [n x K] weightT + bias. `out` does not overlap `in`.
/// The CPU version's sums are in float32; its result does not depend on the number of threads.
void linearReference(ConstRows in, const LinearWeights& weights, Rows out);
void linearCpu(ConstRows in, const PackedLinear& linear, Rows out);

}  // namespace mpm::vit
