// SPDX-License-Identifier: Apache-2.0
// The one table of operators, with rules for dims and folders that compute them.
#include "onnx/operators/table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "onnx/graph/attribute.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;

// Operators for parts of a transformer. They are decomposed before anything computes.

std::int64_t heads(const Call& call, const char* name) {
  return std::max(intAttribute(call.node, name).value_or(kUnknown), kUnknown);
}

// Outputs: the norm, its mean and inverse deviation, the sum of input, skip and bias.
Shapes shapeSkipNormalization(const Call& call) {
  const Dims dims = call.copyOf(0);
  if (!dims || dims->empty()) return {};
  Integers means = *dims;
  means.back() = 1;
  return {dims, means, means, dims};
}

// Inputs: [B, S, D], concatenated weights of q, k and v, their bias.
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

// Inputs: query [B, S, D], or [B, S, heads, 3, size] with all in one; key; value [B, T, V] or [B,
// heads, T, size].
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

// Operators that none of the files has.
const Operators& otherOperators() {
  static const Operators rows = {
      {"Attention", first<shapeAttention>},
      {"DequantizeLinear", first<shapeSame>, nullptr, likeInput(1)},
      {"Identity", first<shapeSame>},
      {"LRN", first<shapeSame>},
      {"NonMaxSuppression", nullptr, nullptr, always(TensorProto::INT64)},
      {"QuantizeLinear", first<shapeSame>, nullptr, likeInput(2)},
      {"RandomNormalLike", first<shapeSame>},
      {"RandomUniformLike", first<shapeSame>},
      {"RotaryEmbedding", first<shapeSame>},
      {"com.microsoft:Attention", first<shapePackedAttention>},
      {"com.microsoft:MultiHeadAttention", first<shapeMultiHeadAttention>},
      {"com.microsoft:SkipLayerNormalization", shapeSkipNormalization},
      {"com.microsoft:SkipSimplifiedLayerNormalization", shapeSkipNormalization},
  };
  return rows;
}

}  // namespace

const Operator* findOperator(const Node& node) {
  static const std::unordered_map<std::string, const Operator*> all = [] {
    std::unordered_map<std::string, const Operator*> byName;
    for (const Operators& rows :
         {std::cref(elementwiseOperators()), std::cref(arrangementOperators()),
          std::cref(indexingOperators()), std::cref(makingOperators()),
          std::cref(reductionOperators()), std::cref(productOperators()),
          std::cref(normalizationOperators()), std::cref(windowOperators()),
          std::cref(resizingOperators()), std::cref(otherOperators())}) {
      for (const Operator& row : rows) byName.emplace(row.name, &row);
    }
    return byName;
  }();
  const bool isOnnx = isOp(node, node.op_type().c_str());
  if (!isOnnx && node.domain() != "com.microsoft") return nullptr;
  const auto found = all.find(isOnnx ? node.op_type() : "com.microsoft:" + node.op_type());
  return found == all.end() ? nullptr : found->second;
}

Shapes inferShapes(const Call& call) {
  const Operator* known = findOperator(call.node);
  return known && known->shape ? known->shape(call) : Shapes{};
}

bool hasShapeRule(const Node& node) {
  const Operator* known = findOperator(node);
  return known && known->shape;
}

Folder findFolder(const Node& node) {
  const Operator* known = findOperator(node);
  return known ? known->compute : nullptr;
}

Results compute(const Call& call) {
  Results results;
  if (isOp(call.node, "Identity") && call.input(0)) {
    results.push_back(*call.input(0));
  } else if (const Folder folder = findFolder(call.node)) {
    results = folder(call);
  }
  results.resize(static_cast<std::size_t>(call.node.output_size()));
  return results;
}

const KnownTensor* sureFloats(const KnownTensor* value) {
  return value && value->isFloat() && value->isSure() ? value : nullptr;
}

namespace {

std::int64_t size(std::int64_t value) {
  return value >= 0 && value <= kLargestSize ? value : kUnknown;
}

}  // namespace

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!isNumber(a) || !isNumber(b) || __builtin_add_overflow(a, b, &sum)) return kUnknown;
  return size(sum);
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!isNumber(a) || !isNumber(b) || __builtin_mul_overflow(a, b, &result)) return kUnknown;
  return size(result);
}

std::int64_t collapse(const Integers& sizes, std::size_t begin, std::size_t end) {
  std::int64_t count = 1, name = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (isNumber(sizes[i])) {
      count = times(count, sizes[i]);
    } else {
      name = name == 0 ? sizes[i] : kUnknown;
    }
  }
  if (name == 0) return count;
  return count == 1 ? name : kUnknown;
}

std::int64_t missingSize(const Integers& whole, const Integers& parts) {
  std::int64_t count = 1, others = 1;
  Integers names;
  for (const std::int64_t each : whole) {
    if (isNumber(each)) {
      count = times(count, each);
    } else {
      names.push_back(each);
    }
  }
  for (const std::int64_t each : parts) {
    if (isNumber(each)) {
      others = times(others, each);
    } else if (each != kUnknown) {
      const auto found = std::find(names.begin(), names.end(), each);
      if (found == names.end()) return kUnknown;
      names.erase(found);
    }
  }
  if (!isNumber(count) || !isNumber(others) || names.size() > 1) return kUnknown;
  if (names.size() == 1) return count == others ? names[0] : kUnknown;
  return others != 0 && count % others == 0 ? count / others : kUnknown;
}

Dims broadcastSizes(const Integers& a, const Integers& b) {
  const Integers& longer = a.size() >= b.size() ? a : b;
  const Integers& shorter = a.size() >= b.size() ? b : a;
  Integers dims = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = dims[longer.size() - shorter.size() + i];
    const std::int64_t other = shorter[i];
    if (dim == other || other == 1) continue;
    if (dim == 1) {
      dim = other;
    } else if (isNumber(dim) && isNumber(other)) {
      return std::nullopt;
    } else if (isNumber(other)) {
      dim = other;  // the unknown one is either 1 or the same
    } else if (!isNumber(dim)) {
      dim = kUnknown;
    }
  }
  return dims;
}

const Integers* Call::dims(std::size_t input) const {
  if (!has(input)) return nullptr;
  if (values) return values->namedDims(node.input(static_cast<int>(input)));
  return this->input(input) ? &inputs[input]->dims : nullptr;
}

Dims Call::copyOf(std::size_t input) const {
  const Integers* found = dims(input);
  return found ? Dims(*found) : std::nullopt;
}

const Integers* Call::parameters(std::size_t i) const {
  const KnownTensor* known = input(i);
  return known && !known->isFloat() && known->isSure() ? &known->integers : nullptr;
}

const KnownTensor* Call::list(std::size_t input) const {
  const Integers* size = dims(input);
  if (!size || size->size() > 1) return nullptr;
  constexpr std::int64_t kMost = 64;
  if (size->size() == 1 && (!isNumber((*size)[0]) || (*size)[0] > kMost)) return nullptr;
  return values ? values->content(node.input(static_cast<int>(input))) : inputs[input];
}

std::optional<Integers> Call::list(const char* attribute, std::size_t input) const {
  if (auto given = intsAttribute(node, attribute)) return given;
  const KnownTensor* known = list(input);
  if (!known || known->isFloat() || !known->isSure()) return std::nullopt;
  return known->integers;
}

bool Call::leavesOut(const char* attribute, std::size_t input) const {
  return !has(input) && !findAttribute(node, attribute);
}

Dims resultDims(const Call& call) {
  Shapes shapes = inferShapes(call);
  if (shapes.empty() || !shapes[0] || !smallCount(*shapes[0])) return std::nullopt;
  return std::move(shapes[0]);
}

// Types of elements.

namespace {

int inputType(const Call& call, int input) {
  const bool isGiven = call.has(static_cast<std::size_t>(input));
  return isGiven ? call.values->type(call.node.input(input)) : 0;
}

int attributeType(const Node& node, const char* name, int otherwise) {
  const std::int64_t type = intAttribute(node, name).value_or(otherwise);
  constexpr std::int64_t kMost = 255;
  return type > 0 && type <= kMost ? static_cast<int>(type) : 0;
}

}  // namespace

int inferType(const Call& call, std::size_t output) {
  const Node& node = call.node;
  const std::string& type = node.op_type();
  const Operator* known = findOperator(node);
  if (known == nullptr) return 0;
  if ((type == "MaxPool" || type == "TopK") && output == 1) return TensorProto::INT64;
  if (type == "Dropout" && output == 1) return TensorProto::BOOL;
  if (known->gives.type != 0) return known->gives.type;
  if (type == "Cast") return attributeType(node, "to", 0);
  if (type == "ConstantOfShape") {
    const auto* value = findAttribute(node, "value");
    return value && value->has_t() ? value->t().data_type() : TensorProto::FLOAT;
  }
  if (type == "EyeLike" || type == "RandomNormalLike" || type == "RandomUniformLike") {
    return attributeType(node, "dtype", inputType(call, 0));
  }
  return inputType(call, known->gives.input);
}

}  // namespace mpm::onnx
