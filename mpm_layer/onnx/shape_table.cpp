// SPDX-License-Identifier: Apache-2.0
// Which rule is whose.
#include <string>
#include <unordered_map>

#include "onnx/attribute.h"
#include "onnx/shape_rules.h"

namespace mpm::onnx {
namespace {

using Rule = Shapes (*)(const ShapeCall&);
using Rules = std::unordered_map<std::string, Rule>;

template <Dims (*rule)(const ShapeCall&)>
Shapes first(const ShapeCall& call) {
  return {rule(call)};
}

const Rules& standardRules() {
  static const Rules rules = {
      {"ArgMax", first<shapeArg>},
      {"ArgMin", first<shapeArg>},
      {"Attention", first<shapeAttention>},
      {"AveragePool", shapePool},
      {"BatchNormalization", shapeBatchNormalization},
      {"Concat", first<shapeConcat>},
      {"ConstantOfShape", first<shapeConstantOfShape>},
      {"Conv", first<shapeConv>},
      {"ConvTranspose", first<shapeConvTranspose>},
      {"DepthToSpace", first<shapeDepthToSpace>},
      {"Dropout", shapeAllSame},
      {"Einsum", first<shapeEinsum>},
      {"Expand", first<shapeExpand>},
      {"Flatten", first<shapeFlatten>},
      {"Gather", first<shapeGather>},
      {"GatherElements", first<shapeGatherElements>},
      {"GatherND", first<shapeGatherND>},
      {"Gemm", first<shapeGemm>},
      {"GlobalAveragePool", first<shapeGlobalPool>},
      {"GlobalLpPool", first<shapeGlobalPool>},
      {"GlobalMaxPool", first<shapeGlobalPool>},
      {"LayerNormalization", shapeNormalization},
      {"LpPool", shapePool},
      {"MatMul", first<shapeMatMul>},
      {"MaxPool", shapePool},
      {"NonZero", first<shapeNonZero>},
      {"OneHot", first<shapeOneHot>},
      {"Pad", first<shapePad>},
      {"Range", first<shapeRange>},
      {"Reshape", first<shapeReshape>},
      {"Resize", first<shapeResize>},
      {"Shape", first<shapeShape>},
      {"SimplifiedLayerNormalization", shapeNormalization},
      {"Size", first<shapeScalar>},
      {"Slice", first<shapeSlice>},
      {"SpaceToDepth", first<shapeSpaceToDepth>},
      {"Split", shapeSplit},
      {"Squeeze", first<shapeSqueeze>},
      {"Tile", first<shapeTile>},
      {"TopK", shapeTopK},
      {"Transpose", first<shapeTranspose>},
      {"Unsqueeze", first<shapeUnsqueeze>},
      {"Upsample", first<shapeResize>},
  };
  return rules;
}

// ONNX Runtime's own, as its optimiser writes them.
const Rules& runtimeRules() {
  static const Rules rules = {
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

// Their result has the shape of the first input.
const Names& likeTheFirst() {
  static const Names types = namesIn(
      "Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Cast CastLike Ceil Celu Clip Cos "
      "Cosh CumSum DequantizeLinear Elu Erf Exp EyeLike Floor Gelu GroupNormalization "
      "HardSigmoid HardSwish Hardmax Identity InstanceNormalization IsInf IsNaN LRN "
      "LeakyRelu Log LogSoftmax LpNormalization MeanVarianceNormalization Mish Neg Not "
      "PRelu QuantizeLinear RMSNormalization RandomNormalLike RandomUniformLike "
      "Reciprocal Relu RotaryEmbedding Round ScatterElements ScatterND Selu Shrink "
      "Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt Swish Tan Tanh "
      "ThresholdedRelu Trilu");
  return types;
}

const Names& broadcasting() {
  static const Names types = namesIn(
      "Add And Equal Greater GreaterOrEqual Less LessOrEqual Or Xor BitShift BitwiseAnd "
      "BitwiseOr BitwiseXor Div Max Mean Min Mod Mul Pow Sub Sum Where");
  return types;
}

bool isReduction(const std::string& type) { return type.rfind("Reduce", 0) == 0; }

}  // namespace

Shapes inferShapes(const ShapeCall& call) {
  const std::string& type = call.node.op_type();
  const bool isStandard = isOp(call.node, type.c_str());
  if (!isStandard && call.node.domain() != "com.microsoft") return {};
  const Rules& rules = isStandard ? standardRules() : runtimeRules();
  if (const auto found = rules.find(type); found != rules.end()) return found->second(call);
  if (!isStandard) return {};
  if (likeTheFirst().count(type)) return {shapeSame(call)};
  if (broadcasting().count(type)) return {shapeBroadcast(call)};
  if (isReduction(type)) return {shapeReduce(call)};
  return {};
}

bool hasShapeRule(const Node& node) {
  const std::string& type = node.op_type();
  if (!isOp(node, type.c_str())) {
    return node.domain() == "com.microsoft" && runtimeRules().count(type) != 0;
  }
  return standardRules().count(type) || likeTheFirst().count(type) || broadcasting().count(type) ||
         isReduction(type);
}

}  // namespace mpm::onnx
