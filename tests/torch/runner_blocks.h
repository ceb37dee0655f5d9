// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch/runner_calls.h"
#include "vit/late_restore.h"
#include "vit/references.h"
#include "vit/transformer_block.h"

namespace mpm::test {

inline Made madeBlock(const vit::BlockWeights& weights, const std::string& precision) {
  const auto dim = static_cast<int>(weights.qkv.weight.dim);
  Made made("mpm.TransformerBlock");
  made.number("heads", {static_cast<double>(weights.heads)}).number("scale", {weights.scale});
  made.number("eps", {weights.norm1.eps}).number("eps2", {weights.norm2.eps});
  made.word("gelu", nameOf(weights.gelu)).word("precision", precision);
  made.norm("norm1", weights.norm1, dim).norm("norm2", weights.norm2, dim);
  made.linear("qkv", weights.qkv).linear("proj", weights.proj);
  made.linear("fc1", weights.fc1).linear("fc2", weights.fc2);
  made.constant("layer_scale1", {dim}, weights.layerScale1);
  return made.constant("layer_scale2", {dim}, weights.layerScale2);
}

/// Of the live rows of an image. `map`: of its original tokens, or empty.
inline OwnedRows blockReference(ConstRows rows, const vit::BlockWeights& weights, int special,
                                const std::vector<std::int32_t>& map) {
  OwnedRows out(rows.count, rows.dim);
  out.data.assign(rows.data, rows.data + rows.count * rows.dim);
  std::vector<float> keyWeights(rows.count, 0);
  if (!map.empty()) {
    vit::keyWeights(map.data(), map.size(), keyWeights.data() + special,
                    rows.count - static_cast<std::size_t>(special));
  }
  vit::transformerBlockReference(out.view(), weights, map.empty() ? nullptr : keyWeights.data());
  return out;
}

}  // namespace mpm::test
