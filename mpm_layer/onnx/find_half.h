// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/find_attention.h"
#include "onnx/find_gelu.h"
#include "onnx/find_linear.h"
#include "onnx/find_normalize.h"

namespace mpm::onnx {

// What both halves of a pre-norm block are: input + layerScale * last(...(norm(input))).
struct FoundHalf {
  std::string input;  // the residual stream in front
  FoundNormalize norm;
  FoundLinear last;        // proj, fc2
  std::string layerScale;  // a constant vector, or empty
  std::vector<const Node*> nodes;
};

struct FoundAttentionHalf : FoundHalf {
  FoundAttention attention;
};

struct FoundMlpHalf : FoundHalf {
  FoundLinear fc1;
  FoundGelu gelu;
};

// Is `value` the residual stream behind attention, for so many images, or behind an MLP?
Finding<FoundAttentionHalf> findAttentionHalf(const Facts& facts, const std::string& value,
                                              std::int64_t batch);
Finding<FoundMlpHalf> findMlpHalf(const Facts& facts, const std::string& value);

}  // namespace mpm::onnx
