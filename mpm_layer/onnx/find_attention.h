// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/facts.h"
#include "onnx/find_linear.h"

namespace mpm::onnx {

// q, k or v: some of the features of a linear layer.
struct FoundProjection {
  FoundLinear linear;
  Integers features;  // [heads d]: feature i of head h is the linear layer's features[h d + i]
};

struct FoundAttention {
  std::string input;  // tokens, from which q, k and v are made
  FoundProjection q, k, v;
  std::int64_t heads = 0, headDim = 0;
  float scale = 1;  // of q k
  // Of several images, whose rows lie together: one image's, or those of the same place? Nothing
  // where there is one image.
  std::optional<bool> rowsFirst;
  std::vector<const Node*> nodes;
};

// What was found, or what kept it from being found: a few words, empty where there is nothing of
// the kind.
template <class Found>
struct Finding {
  std::optional<Found> found;
  std::string obstacle;
  const Node* where = nullptr;  // the obstacle

  static Finding blocked(std::string what, const Node* node) {
    return {std::nullopt, std::move(what), node};
  }
};

// Is `value` what full self-attention gives, rows of heads x d features, for so many images?
// Softmax over all tokens of q k times a scale, times v; q, k and v from one linear layer or from
// several, laid out in any way.
Finding<FoundAttention> findAttention(const Facts& facts, const std::string& value,
                                      std::int64_t batch);

}  // namespace mpm::onnx
