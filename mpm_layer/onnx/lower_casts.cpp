// SPDX-License-Identifier: Apache-2.0
#include "onnx/lower_casts.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower_spelling.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

// Nodes whose first output has the type of their first input.
const std::unordered_set<std::string>& sameType() {
  static const char* const kNames =
      "Abs Add AveragePool BatchNormalization Ceil Clip Concat Conv ConvTranspose Cos "
      "DepthToSpace Div Dropout Einsum Elu Erf Exp Expand Flatten Floor Gather GatherElements "
      "GatherND Gelu Gemm GlobalAveragePool GlobalMaxPool GroupNormalization HardSigmoid "
      "HardSwish Identity InstanceNormalization LayerNormalization LeakyRelu Log LogSoftmax "
      "LpNormalization MatMul Max MaxPool Mean Min Mish Mul Neg PRelu Pad Pow Reciprocal "
      "ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare "
      "Relu Reshape Resize Sigmoid Sin Slice Softmax Softplus SpaceToDepth Split Sqrt Squeeze "
      "Sub Sum Tanh Tile Transpose Unsqueeze Upsample";
  static const std::unordered_set<std::string> names = [] {
    std::istringstream words(kNames);
    return std::unordered_set<std::string>(std::istream_iterator<std::string>(words), {});
  }();
  return names;
}

// The input whose type the first output has; -1: none for certain.
int typeGiver(const Node& node) {
  if (isOp(node, "Where")) return 1;
  return isOp(node, node.op_type().c_str()) && sameType().count(node.op_type()) != 0 ? 0 : -1;
}

// The values of the main graph that are float32 for certain.
std::unordered_set<std::string> floatValues(const Model& model) {
  std::unordered_set<std::string> values;
  const auto& graph = model.proto().graph();
  const auto take = [&](const auto& infos) {
    for (const auto& info : infos) {
      if (info.type().tensor_type().elem_type() == TensorProto::FLOAT) values.insert(info.name());
    }
  };
  take(graph.input());
  take(graph.value_info());
  for (const auto& constant : graph.initializer()) {
    if (constant.data_type() == TensorProto::FLOAT) values.insert(constant.name());
  }
  for (const Node* node : model.nodes()) {
    const int giver = typeGiver(*node);
    const bool isCast = isOp(*node, "Cast") && intAttribute(*node, "to") == TensorProto::FLOAT;
    if (!isCast && !(giver >= 0 && values.count(inputOf(*node, giver)))) continue;
    const int made = isOp(*node, "Split") ? node->output_size() : 1;
    for (int i = 0; i < std::min(made, node->output_size()); ++i) values.insert(node->output(i));
  }
  return values;
}

}  // namespace

int dropCasts(Model& model) {
  const auto floats = floatValues(model);
  std::vector<const Node*> idle;
  for (const Node* node : model.nodes()) {
    if (!isOp(*node, "Cast") || node->input_size() != 1 || node->output_size() != 1) continue;
    if (intAttribute(*node, "to") != TensorProto::FLOAT || node->output(0).empty()) continue;
    if (floats.count(node->input(0))) idle.push_back(node);
  }
  return bypass(model, idle);
}

}  // namespace mpm::onnx
