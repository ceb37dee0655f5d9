// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/lower.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/walk.h"
#include "onnx/normal_form/lower_spelling.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

bool isOtherFloat(std::int64_t type) { return isFloatingType(type) && type != TensorProto::FLOAT; }

// Nodes whose weights are whole numbers with scales: what they compute hangs on the types.
bool isQuantised(const Node& node) {
  for (const char* part :
       {"uantize", "QLinear", "Integer", "NBits", "Bnb4", "QGemm", "QAttention"}) {
    if (node.op_type().find(part) != std::string::npos) return true;
  }
  return false;
}

// Every node list of a model, with the lists of value descriptions beside it.
struct Part {
  google::protobuf::RepeatedPtrField<Node>* nodes;
  ::onnx::GraphProto* graph;  // null for a function
};

std::vector<Part> partsOf(::onnx::ModelProto& model) {
  std::vector<Part> parts = {{model.mutable_graph()->mutable_node(), model.mutable_graph()}};
  for (auto& function : *model.mutable_functions()) {
    parts.push_back({function.mutable_node(), nullptr});
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto nodes = parts[i].nodes;
    const auto take = [&](::onnx::GraphProto* graph) {
      parts.push_back({graph->mutable_node(), graph});
    };
    for (auto& node : *nodes) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) take(attribute.mutable_g());
        for (auto& graph : *attribute.mutable_graphs()) take(&graph);
      }
    }
  }
  return parts;
}

// The attribute by which a node names the type of its output, or null.
const char* typeAttribute(const Node& node) {
  for (const char* type : {"EyeLike", "RandomNormal", "RandomUniform", "RandomNormalLike",
                           "RandomUniformLike", "Bernoulli"}) {
    if (isOp(node, type)) return "dtype";
  }
  if (isOp(node, "Cast")) return "to";
  if (isOp(node, "LayerNormalization")) return "stash_type";
  return isOp(node, "Attention") ? "softmax_precision" : nullptr;
}

int widenNode(Node& node) {
  const char* name = typeAttribute(node);
  if (name == nullptr || !isOtherFloat(intAttribute(node, name).value_or(0))) return 0;
  setAttribute(node, name, std::int64_t{TensorProto::FLOAT});
  return 1;
}

template <typename Infos>
int widenTypes(Infos& infos) {
  int count = 0;
  for (auto& info : infos) {
    if (!info.type().has_tensor_type()) continue;
    if (!isOtherFloat(info.type().tensor_type().elem_type())) continue;
    info.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
    ++count;
  }
  return count;
}

int widenConstant(TensorProto& constant) {
  if (!isOtherFloat(constant.data_type())) return 0;
  const Tensor tensor(constant);
  TensorProto wide = floatTensor(constant.name(), tensor.dims(), tensor.floats().data());
  constant.Swap(&wide);
  return 1;
}

// How many changes; nothing for a model that is left alone.
std::optional<int> widenAll(::onnx::ModelProto& proto) {
  const std::vector<Part> parts = partsOf(proto);
  for (const Part& part : parts) {
    for (const Node& node : *part.nodes) {
      if (isQuantised(node)) return std::nullopt;
    }
  }
  int count = 0;
  for (const Part& part : parts) {
    for (Node& node : *part.nodes) count += widenNode(node);
    if (part.graph == nullptr) continue;
    count += widenTypes(*part.graph->mutable_input());
    count += widenTypes(*part.graph->mutable_output());
    count += widenTypes(*part.graph->mutable_value_info());
  }
  forEachTensor(proto, [&](TensorProto& tensor) { count += widenConstant(tensor); });
  return count;
}

// Nodes whose first output has the type of their first input.
const Names& sameType() {
  static const Names names = namesIn(
      "Abs Add AveragePool BatchNormalization Ceil Clip Concat Conv ConvTranspose Cos "
      "DepthToSpace Div Dropout Einsum Elu Erf Exp Expand Flatten Floor Gather GatherElements "
      "GatherND Gelu Gemm GlobalAveragePool GlobalMaxPool GroupNormalization HardSigmoid "
      "HardSwish Identity InstanceNormalization LayerNormalization LeakyRelu Log LogSoftmax "
      "LpNormalization MatMul Max MaxPool Mean Min Mish Mul Neg PRelu Pad Pow Reciprocal "
      "ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare "
      "Relu Reshape Resize Sigmoid Sin Slice Softmax Softplus SpaceToDepth Split Sqrt Squeeze "
      "Sub Sum Tanh Tile Transpose Unsqueeze Upsample");
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

// Takes casts of float32 values to float32 out of the main graph; how many.
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

}  // namespace

int widen(Model& model) {
  std::optional<int> count;
  model.changeInPlace([&](::onnx::ModelProto& proto) { count = widenAll(proto); });
  return count ? *count + dropCasts(model) : 0;
}

}  // namespace mpm::onnx
