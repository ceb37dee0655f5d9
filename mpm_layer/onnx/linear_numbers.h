// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "onnx/find.h"

namespace mpm::onnx {

// A linear layer as numbers: [in x out] and [out].
struct LinearNumbers {
  std::size_t in = 0, out = 0;
  std::vector<float> weight, bias;
};

LinearNumbers numbersOf(const Model& model, const FoundLinear& linear);

// What the second makes of what the first gives.
LinearNumbers behind(const LinearNumbers& first, const LinearNumbers& second);

// a + sign b, of one input and as many features.
LinearNumbers sum(LinearNumbers a, const LinearNumbers& b, float sign);

// With a factor, or something added, for each feature.
LinearNumbers scaled(LinearNumbers made, const std::vector<float>& factors);
LinearNumbers shifted(LinearNumbers made, const std::vector<float>& added);

// Some of its features, in this order.
LinearNumbers some(const LinearNumbers& all, const Integers& features);

// The features of both, of one input.
LinearNumbers beside(const LinearNumbers& a, const LinearNumbers& b);

}  // namespace mpm::onnx
