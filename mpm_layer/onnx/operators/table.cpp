// SPDX-License-Identifier: Apache-2.0
// Which operators are known: whose rule says their dims, and who computes them.
#include "onnx/operators/table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "onnx/graph/attribute.h"

namespace mpm::onnx {

namespace {

using Rule = Shapes (*)(const Call&);

struct Operator {
  Rule shape;
  Folder fold = nullptr;  // or nobody computes it
};

template <Dims (*rule)(const Call&)>
Shapes first(const Call& call) {
  return {rule(call)};
}

template <Result (*fold)(const Call&)>
Results one(const Call& call) {
  return {fold(call)};
}

// ONNX's own; functions of one element and Reduce* are not among them.
const std::unordered_map<std::string, Operator>& operators() {
  static const std::unordered_map<std::string, Operator> all = {
      {"Add", {first<shapeBroadcast>, one<foldAdd>}},
      {"And", {first<shapeBroadcast>, one<foldAnd>}},
      {"ArgMax", {first<shapeArg>, one<foldArgMax>}},
      {"ArgMin", {first<shapeArg>, one<foldArgMin>}},
      {"Attention", {first<shapeAttention>}},
      {"AveragePool", {shapePool, one<foldAveragePool>}},
      {"BatchNormalization", {shapeBatchNormalization, foldBatchNormalization}},
      {"Cast", {first<shapeSame>, one<foldCast>}},
      {"CastLike", {first<shapeSame>, one<foldCastLike>}},
      {"Clip", {first<shapeSame>, one<foldClip>}},
      {"Col2Im", {first<shapeCol2Im>, one<foldCol2Im>}},
      {"Concat", {first<shapeConcat>, one<foldConcat>}},
      {"ConstantOfShape", {first<shapeConstantOfShape>, one<foldConstantOfShape>}},
      {"Conv", {first<shapeConv>, one<foldConv>}},
      {"ConvTranspose", {first<shapeConvTranspose>}},
      {"CumSum", {first<shapeSame>, one<foldCumSum>}},
      {"DepthToSpace", {first<shapeDepthToSpace>, one<foldDepthToSpace>}},
      {"Div", {first<shapeBroadcast>, one<foldDiv>}},
      {"Dropout", {shapeAllSame}},
      {"Einsum", {first<shapeEinsum>, one<foldEinsum>}},
      {"Equal", {first<shapeBroadcast>, one<foldEqual>}},
      {"Expand", {first<shapeExpand>, one<foldExpand>}},
      {"EyeLike", {first<shapeSame>, one<foldEyeLike>}},
      {"Flatten", {first<shapeFlatten>, one<foldReshape>}},
      {"Gather", {first<shapeGather>, one<foldGather>}},
      {"GatherElements", {first<shapeGatherElements>, one<foldGatherElements>}},
      {"GatherND", {first<shapeGatherND>, one<foldGatherNd>}},
      {"Gelu", {first<shapeSame>, one<foldGelu>}},
      {"Gemm", {first<shapeGemm>, one<foldGemm>}},
      {"GlobalAveragePool", {first<shapeGlobalPool>}},
      {"GlobalMaxPool", {first<shapeGlobalPool>}},
      {"Greater", {first<shapeBroadcast>, one<foldGreater>}},
      {"GreaterOrEqual", {first<shapeBroadcast>, one<foldGreaterOrEqual>}},
      {"GridSample", {first<shapeGridSample>, one<foldGridSample>}},
      {"GroupNormalization", {first<shapeSame>, one<foldGroupNormalization>}},
      {"Hardmax", {first<shapeSame>, one<foldHardmax>}},
      {"InstanceNormalization", {first<shapeSame>, one<foldInstanceNormalization>}},
      {"IsInf", {first<shapeSame>, one<foldIsInf>}},
      {"IsNaN", {first<shapeSame>, one<foldIsNaN>}},
      {"LayerNormalization", {shapeNormalization, one<foldLayerNormalization>}},
      {"Less", {first<shapeBroadcast>, one<foldLess>}},
      {"LessOrEqual", {first<shapeBroadcast>, one<foldLessOrEqual>}},
      {"LogSoftmax", {first<shapeSame>, one<foldLogSoftmax>}},
      {"LpNormalization", {first<shapeSame>, one<foldLpNormalization>}},
      {"MatMul", {first<shapeMatMul>, one<foldMatMul>}},
      {"Max", {first<shapeBroadcast>, one<foldMax>}},
      {"MaxPool", {shapePool, foldMaxPool}},
      {"Mean", {first<shapeBroadcast>, one<foldMean>}},
      {"MeanVarianceNormalization", {first<shapeSame>, one<foldMeanVarianceNormalization>}},
      {"Min", {first<shapeBroadcast>, one<foldMin>}},
      {"Mod", {first<shapeBroadcast>, one<foldMod>}},
      {"Mul", {first<shapeBroadcast>, one<foldMul>}},
      {"NonZero", {first<shapeNonZero>}},
      {"Not", {first<shapeSame>, one<foldNot>}},
      {"OneHot", {first<shapeOneHot>, one<foldOneHot>}},
      {"Or", {first<shapeBroadcast>, one<foldOr>}},
      {"PRelu", {first<shapeSame>, one<foldPRelu>}},
      {"Pad", {first<shapePad>, one<foldPad>}},
      {"Pow", {first<shapeBroadcast>, one<foldPow>}},
      {"RMSNormalization", {first<shapeSame>, one<foldRmsNormalization>}},
      {"Range", {first<shapeRange>, one<foldRange>}},
      {"Reshape", {first<shapeReshape>, one<foldReshape>}},
      {"Resize", {first<shapeResize>, one<foldResize>}},
      {"Scatter", {first<shapeSame>, one<foldScatterElements>}},
      {"ScatterElements", {first<shapeSame>, one<foldScatterElements>}},
      {"ScatterND", {first<shapeSame>, one<foldScatterNd>}},
      {"Shape", {first<shapeShape>}},
      {"SimplifiedLayerNormalization", {shapeNormalization, one<foldRmsNormalization>}},
      {"Size", {first<shapeScalar>}},
      {"Slice", {first<shapeSlice>, one<foldSlice>}},
      {"Softmax", {first<shapeSame>, one<foldSoftmax>}},
      {"SpaceToDepth", {first<shapeSpaceToDepth>, one<foldSpaceToDepth>}},
      {"Split", {shapeSplit, foldSplit}},
      {"Squeeze", {first<shapeSqueeze>, one<foldReshape>}},
      {"Sub", {first<shapeBroadcast>, one<foldSub>}},
      {"Sum", {first<shapeBroadcast>, one<foldSum>}},
      {"Tile", {first<shapeTile>, one<foldTile>}},
      {"TopK", {shapeTopK, foldTopK}},
      {"Transpose", {first<shapeTranspose>, one<foldTranspose>}},
      {"Trilu", {first<shapeSame>, one<foldTrilu>}},
      {"Unsqueeze", {first<shapeUnsqueeze>, one<foldReshape>}},
      {"Upsample", {first<shapeResize>}},
      {"Where", {first<shapeBroadcast>, one<foldWhere>}},
      {"Xor", {first<shapeBroadcast>, one<foldXor>}},
  };
  return all;
}

// ONNX Runtime's own, as its optimiser writes them.
const std::unordered_map<std::string, Rule>& runtimeRules() {
  static const std::unordered_map<std::string, Rule> rules = {
      {"Attention", first<shapePackedAttention>},
      {"BiasGelu", first<shapeSame>},
      {"FastGelu", first<shapeSame>},
      {"FusedConv", first<shapeConv>},
      {"FusedGemm", first<shapeGemm>},
      {"FusedMatMul", first<shapeFusedMatMul>},
      {"Gelu", first<shapeSame>},
      {"LayerNormalization", shapeNormalization},
      {"MultiHeadAttention", first<shapeMultiHeadAttention>},
      {"QuickGelu", first<shapeSame>},
      {"SkipLayerNormalization", shapeSkipNormalization},
      {"SkipSimplifiedLayerNormalization", shapeSkipNormalization},
      {"TransposeMatMul", first<shapeFusedMatMul>},
  };
  return rules;
}

// Besides functions of one element: their result has the shape of the first input.
const Names& likeTheFirst() {
  static const Names types = namesIn(
      "DequantizeLinear Identity LRN QuantizeLinear RandomNormalLike RandomUniformLike "
      "RotaryEmbedding");
  return types;
}

// Null where it has none, or the operator is of another domain.
Rule ruleOf(const Node& node) {
  const std::string& type = node.op_type();
  if (!isOp(node, type.c_str())) {
    if (node.domain() != "com.microsoft") return nullptr;
    const auto found = runtimeRules().find(type);
    return found == runtimeRules().end() ? nullptr : found->second;
  }
  if (const auto found = operators().find(type); found != operators().end())
    return found->second.shape;
  if (isFunction(type) || likeTheFirst().count(type)) return first<shapeSame>;
  return type.rfind("Reduce", 0) == 0 ? first<shapeReduce> : nullptr;
}

}  // namespace

Shapes inferShapes(const Call& call) {
  const Rule rule = ruleOf(call.node);
  return rule ? rule(call) : Shapes{};
}

bool hasShapeRule(const Node& node) { return ruleOf(node) != nullptr; }

Folder findFolder(const Node& node) {
  const std::string& type = node.op_type();
  if (isFunction(type)) return one<foldFunction>;
  if (isReduction(type)) return one<foldReduce>;
  const auto found = operators().find(type);
  return found == operators().end() ? nullptr : found->second.fold;
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

const Known* sureFloats(const Known* value) {
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
  const Known* known = input(i);
  return known && !known->isFloat() && known->isSure() ? &known->integers : nullptr;
}

const Known* Call::list(std::size_t input) const {
  const Integers* size = dims(input);
  if (!size || size->size() > 1) return nullptr;
  constexpr std::int64_t kMost = 64;
  if (size->size() == 1 && (!isNumber((*size)[0]) || (*size)[0] > kMost)) return nullptr;
  return values ? values->content(node.input(static_cast<int>(input))) : inputs[input];
}

std::optional<Integers> Call::list(const char* attribute, std::size_t input) const {
  if (auto given = intsAttribute(node, attribute)) return given;
  const Known* known = list(input);
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

using ::onnx::TensorProto;

const std::unordered_map<std::string, int>& fixedTypes() {
  static const std::unordered_map<std::string, int> types = {
      {"And", TensorProto::BOOL},     {"Equal", TensorProto::BOOL},
      {"Greater", TensorProto::BOOL}, {"GreaterOrEqual", TensorProto::BOOL},
      {"Less", TensorProto::BOOL},    {"LessOrEqual", TensorProto::BOOL},
      {"Or", TensorProto::BOOL},      {"Xor", TensorProto::BOOL},
      {"ArgMax", TensorProto::INT64}, {"ArgMin", TensorProto::INT64},
      {"IsInf", TensorProto::BOOL},   {"IsNaN", TensorProto::BOOL},
      {"Not", TensorProto::BOOL},     {"NonMaxSuppression", TensorProto::INT64},
      {"Shape", TensorProto::INT64},  {"NonZero", TensorProto::INT64},
      {"Size", TensorProto::INT64}};
  return types;
}

// Operators whose result has the type of another input than the first.
const std::unordered_map<std::string, int>& typeGivers() {
  static const std::unordered_map<std::string, int> inputs = {
      {"CastLike", 1}, {"DequantizeLinear", 1}, {"OneHot", 2}, {"QuantizeLinear", 2}, {"Where", 1}};
  return inputs;
}

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
  if (!isOp(node, type.c_str())) return hasShapeRule(node) ? inputType(call, 0) : 0;
  if ((type == "MaxPool" || type == "TopK") && output == 1) return TensorProto::INT64;
  if (type == "Dropout" && output == 1) return TensorProto::BOOL;
  if (const auto found = fixedTypes().find(type); found != fixedTypes().end()) return found->second;
  if (type == "Cast") return attributeType(node, "to", 0);
  if (type == "ConstantOfShape") {
    const auto* value = findAttribute(node, "value");
    return value && value->has_t() ? value->t().data_type() : TensorProto::FLOAT;
  }
  if (const auto found = typeGivers().find(type); found != typeGivers().end()) {
    return inputType(call, found->second);
  }
  if (type == "EyeLike" || type == "RandomNormalLike" || type == "RandomUniformLike") {
    return attributeType(node, "dtype", inputType(call, 0));
  }
  return hasShapeRule(node) ? inputType(call, 0) : 0;
}

// Operators that stand for a part of a transformer.

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
