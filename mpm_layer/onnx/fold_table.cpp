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
      {"Abs", one<foldAbs>},
      {"Add", one<foldAdd>},
      {"And", one<foldAnd>},
      {"Cast", one<foldCast>},
      {"Ceil", one<foldCeil>},
      {"Concat", one<foldConcat>},
      {"ConstantOfShape", one<foldConstantOfShape>},
      {"Cos", one<foldCos>},
      {"Div", one<foldDiv>},
      {"Equal", one<foldEqual>},
      {"Exp", one<foldExp>},
      {"Expand", one<foldExpand>},
      {"Flatten", one<foldFlatten>},
      {"Floor", one<foldFloor>},
      {"Gather", one<foldGather>},
      {"Greater", one<foldGreater>},
      {"GreaterOrEqual", one<foldGreaterOrEqual>},
      {"Less", one<foldLess>},
      {"LessOrEqual", one<foldLessOrEqual>},
      {"Max", one<foldMax>},
      {"Min", one<foldMin>},
      {"Mod", one<foldMod>},
      {"Mul", one<foldMul>},
      {"Neg", one<foldNeg>},
      {"Not", one<foldNot>},
      {"Or", one<foldOr>},
      {"Pow", one<foldPow>},
      {"Range", one<foldRange>},
      {"Reciprocal", one<foldReciprocal>},
      {"ReduceMean", one<foldReduceMean>},
      {"ReduceProd", one<foldReduceProd>},
      {"ReduceSum", one<foldReduceSum>},
      {"Reshape", one<foldReshape>},
      {"Resize", one<foldResize>},
      {"Sin", one<foldSin>},
      {"Slice", one<foldSlice>},
      {"Split", foldSplit},
      {"Sqrt", one<foldSqrt>},
      {"Squeeze", one<foldSqueeze>},
      {"Sub", one<foldSub>},
      {"Tile", one<foldTile>},
      {"Transpose", one<foldTranspose>},
      {"Unsqueeze", one<foldUnsqueeze>},
      {"Where", one<foldWhere>},
  };
  return all;
}

}  // namespace

Folder findFolder(const Node& node) {
  const auto found = folders().find(node.op_type());
  return found == folders().end() ? nullptr : found->second;
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
