// SPDX-License-Identifier: Apache-2.0
// Which operators are computed, and by whom.
#include <string>
#include <unordered_map>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"

namespace mpm::onnx {
namespace {

template <Result (*fold)(const Call&)>
Results one(const Call& call) {
  return {fold(call)};
}

const std::unordered_map<std::string, Folder>& folders() {
  static const std::unordered_map<std::string, Folder> all = {
      {"Add", one<foldAdd>},
      {"And", one<foldAnd>},
      {"ArgMax", one<foldArgMax>},
      {"ArgMin", one<foldArgMin>},
      {"BatchNormalization", foldBatchNormalization},
      {"Cast", one<foldCast>},
      {"Clip", one<foldClip>},
      {"Concat", one<foldConcat>},
      {"ConstantOfShape", one<foldConstantOfShape>},
      {"CumSum", one<foldCumSum>},
      {"DepthToSpace", one<foldDepthToSpace>},
      {"Div", one<foldDiv>},
      {"Einsum", one<foldEinsum>},
      {"Equal", one<foldEqual>},
      {"Expand", one<foldExpand>},
      {"Flatten", one<foldFlatten>},
      {"Gather", one<foldGather>},
      {"GatherElements", one<foldGatherElements>},
      {"GatherND", one<foldGatherNd>},
      {"Gelu", one<foldGelu>},
      {"Gemm", one<foldGemm>},
      {"Greater", one<foldGreater>},
      {"GreaterOrEqual", one<foldGreaterOrEqual>},
      {"GroupNormalization", one<foldGroupNormalization>},
      {"InstanceNormalization", one<foldInstanceNormalization>},
      {"IsInf", one<foldIsInf>},
      {"IsNaN", one<foldIsNaN>},
      {"LayerNormalization", one<foldLayerNormalization>},
      {"Less", one<foldLess>},
      {"LessOrEqual", one<foldLessOrEqual>},
      {"LogSoftmax", one<foldLogSoftmax>},
      {"LpNormalization", one<foldLpNormalization>},
      {"MatMul", one<foldMatMul>},
      {"Max", one<foldMax>},
      {"Mean", one<foldMean>},
      {"Min", one<foldMin>},
      {"Mod", one<foldMod>},
      {"Mul", one<foldMul>},
      {"Not", one<foldNot>},
      {"OneHot", one<foldOneHot>},
      {"Or", one<foldOr>},
      {"PRelu", one<foldPRelu>},
      {"Pad", one<foldPad>},
      {"Pow", one<foldPow>},
      {"RMSNormalization", one<foldRmsNormalization>},
      {"Range", one<foldRange>},
      {"Reshape", one<foldReshape>},
      {"Resize", one<foldResize>},
      {"ScatterElements", one<foldScatterElements>},
      {"ScatterND", one<foldScatterNd>},
      {"SimplifiedLayerNormalization", one<foldRmsNormalization>},
      {"Slice", one<foldSlice>},
      {"Softmax", one<foldSoftmax>},
      {"SpaceToDepth", one<foldSpaceToDepth>},
      {"Split", foldSplit},
      {"Squeeze", one<foldSqueeze>},
      {"Sub", one<foldSub>},
      {"Sum", one<foldSum>},
      {"Tile", one<foldTile>},
      {"TopK", foldTopK},
      {"Transpose", one<foldTranspose>},
      {"Trilu", one<foldTrilu>},
      {"Unsqueeze", one<foldUnsqueeze>},
      {"Where", one<foldWhere>},
      {"Xor", one<foldXor>},
  };
  return all;
}

}  // namespace

Folder findFolder(const Node& node) {
  const std::string& type = node.op_type();
  if (isFunction(type)) return one<foldFunction>;
  if (isReduction(type)) return one<foldReduce>;
  const auto found = folders().find(type);
  return found == folders().end() ? nullptr : found->second;
}

const Known* sureFloats(const Known* value) {
  return value && value->isFloat() && value->isSure() ? value : nullptr;
}

const Integers* Call::parameters(std::size_t i) const {
  const Known* known = input(i);
  return known && !known->isFloat() && known->isSure() ? &known->integers : nullptr;
}

std::optional<Integers> Call::list(const char* attribute, std::size_t input) const {
  if (auto values = intsAttribute(node, attribute)) return values;
  const Integers* values = parameters(input);
  if (!values) return std::nullopt;
  return *values;
}

bool Call::leavesOut(const char* attribute, std::size_t input) const {
  const int i = static_cast<int>(input);
  const bool isGiven = i < node.input_size() && !node.input(i).empty();
  return !isGiven && !findAttribute(node, attribute);
}

}  // namespace mpm::onnx
