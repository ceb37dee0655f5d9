// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower_casts.h"
#include "onnx/walk.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

bool isOtherFloat(std::int64_t type) {
  return type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16 ||
         type == TensorProto::DOUBLE;
}

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

}  // namespace

int widen(Model& model) {
  // In place, for memory's sake: every edit keeps the constants that it replaces until it is done.
  // Names, nodes and addresses stay as they are, so the model's index stays right.
  auto& proto = const_cast<::onnx::ModelProto&>(model.proto());
  const std::vector<Part> parts = partsOf(proto);
  for (const Part& part : parts) {
    for (const Node& node : *part.nodes) {
      if (isQuantised(node)) return 0;
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
  return count + dropCasts(model);
}

}  // namespace mpm::onnx
