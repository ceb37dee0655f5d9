// SPDX-License-Identifier: Apache-2.0
// Which operators are known: whose rule says their dims, and who computes them.
#include <string>
#include <unordered_map>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/shape_rules.h"

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

}  // namespace mpm::onnx
