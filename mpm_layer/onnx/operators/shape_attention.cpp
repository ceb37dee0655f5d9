// SPDX-License-Identifier: Apache-2.0
// Operators that stand for a part of a transformer.
#include <algorithm>

#include "onnx/graph/attribute.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

std::int64_t heads(const Call& call, const char* name) {
  return std::max(intAttribute(call.node, name).value_or(kUnknown), kUnknown);
}

}  // namespace

// Outputs: the norm, its mean and inverse deviation, the sum of input, skip and bias.
Shapes shapeSkipNormalization(const Call& call) {
  const Dims dims = call.copyOf(0);
  if (!dims || dims->empty()) return {};
  Integers means = *dims;
  means.back() = 1;
  return {dims, means, means, dims};
}

// Inputs: [B, S, D], weights of q, k and v side by side, their bias.
Dims shapePackedAttention(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims || dims->size() != 3) return std::nullopt;
  const Integers *weight = call.dims(1), *bias = call.dims(2);
  std::int64_t all = kUnknown;
  if (weight && weight->size() == 2) {
    all = (*weight)[1];
  } else if (bias && bias->size() == 1) {
    all = (*bias)[0];
  }
  const auto sizes = intsAttribute(call.node, "qkv_hidden_sizes");
  if (sizes && sizes->size() == 3) {
    dims->back() = std::max((*sizes)[2], kUnknown);
  } else {
    dims->back() = isNumber(all) && all % 3 == 0 ? all / 3 : kUnknown;
  }
  return dims;
}

// Inputs: query [B, S, D], or [B, S, heads, 3, size] with all in one; key; value [B, T, V] or
// [B, heads, T, size].
Dims shapeMultiHeadAttention(const Call& call) {
  const Integers *query = call.dims(0), *value = call.dims(2);
  if (!query) return std::nullopt;
  if (query->size() == 5)
    return Integers{(*query)[0], (*query)[1], times((*query)[2], (*query)[4])};
  if (query->size() != 3) return std::nullopt;
  Integers dims = *query;
  if (value && value->size() == 3) {
    dims[2] = (*value)[2];
  } else if (value && value->size() == 4) {
    dims[2] = times((*value)[1], (*value)[3]);
  } else if (call.has(2)) {
    dims[2] = kUnknown;
  }
  return dims;
}

// Inputs: [B, heads, S, size] each, or [B, S, heads * size].
Dims shapeAttention(const Call& call) {
  const Integers *query = call.dims(0), *value = call.dims(2);
  if (!query) return std::nullopt;
  Integers dims = *query;
  const bool fits = value && value->size() == query->size();
  if (query->size() == 4) {
    dims[3] = fits ? (*value)[3] : kUnknown;
    return dims;
  }
  if (query->size() != 3) return std::nullopt;
  const std::int64_t mine = heads(call, "q_num_heads"), theirs = heads(call, "kv_num_heads");
  dims[2] = kUnknown;
  if (!fits) return dims;
  if (mine == theirs) {
    dims[2] = (*value)[2];
  } else if (theirs > 0 && isNumber((*value)[2]) && (*value)[2] % theirs == 0) {
    dims[2] = times((*value)[2] / theirs, mine);
  }
  return dims;
}

}  // namespace mpm::onnx
