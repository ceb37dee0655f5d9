// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/for_opencv.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "contract/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/layers/rewrite_model.h"

namespace mpm::onnx {
namespace {

bool isOf(const Node& node, LayerKind kind) {
  return isLayer(node) && (node.op_type() == operatorOf(kind) || node.op_type() == typeOf(kind));
}

// Tells whether a node is a layer of planes, which come after all tokens.
bool isOfPlanes(const Node& node) {
  return isOf(node, LayerKind::convolve) || isOf(node, LayerKind::upsample);
}

// Tells whether nodes other than layers of tokens compute on merged rows.
bool othersReadMerged(const Model& model) {
  std::set<std::string> merged;
  for (const Node* node : model.nodes()) {  // each stands behind what it reads
    const bool reads = std::any_of(node->input().begin(), node->input().end(),
                                   [&](const std::string& name) { return merged.contains(name); });
    if (reads && (!isLayer(*node) || isOf(*node, LayerKind::subgraph))) return true;
    const bool restores = isOf(*node, LayerKind::mergeRestore) || isOf(*node, LayerKind::meanRows);
    if ((reads && !restores) || isOf(*node, LayerKind::mutualPairMerge))
      merged.insert(node->output(0));
  }
  return false;
}

// OpenCV 5.0 pads the wrong side here. At known sizes the pads are already numbers.
void refuseSamePads(const Model& model) {
  for (const Node* node : model.nodes()) {
    if (isOp(*node, "Conv") && stringAttribute(*node, "auto_pad").value_or("") == "SAME_UPPER")
      throw ModelError(nameOf(*node) +
                       " pads with SAME_UPPER at a size that is not known, which OpenCV 5 does on "
                       "the wrong side");
  }
}

// Sets missing types and shapes of outputs. Files may leave them out, but importers require some,
// whatever they are.
void nameOutputTypes(Model& model) {
  model.changeInPlace([](::onnx::ModelProto& proto) {
    for (auto& output : *proto.mutable_graph()->mutable_output()) {
      auto& type = *output.mutable_type();
      if (type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET) type.mutable_tensor_type();
      if (!type.has_tensor_type()) continue;
      auto& tensor = *type.mutable_tensor_type();
      if (tensor.elem_type() == ::onnx::TensorProto::UNDEFINED)
        tensor.set_elem_type(::onnx::TensorProto::FLOAT);
      tensor.mutable_shape();
    }
  });
}

// Adds a reader for each unread input. OpenCV 4 counts only inputs that are read, and runs only if
// as many are set. Readers come first, since forward() returns the last layer's output.
void readEachInput(Model& model) {
  if (model.nodes().empty()) return;
  const Node* first = model.nodes()[0];
  Edit edit;
  for (const Value& input : model.inputs()) {
    if (!model.consumers(input.name).empty() || model.isOutput(input.name)) continue;
    Node reader;
    reader.set_op_type("Identity");
    reader.add_input(input.name);
    reader.add_output(model.unusedName(input.name + "_unread"));
    edit.add.push_back(std::move(reader));
  }
  if (edit.add.empty()) return;
  edit.remove.push_back(first);
  edit.add.push_back(*first);
  model.apply(std::move(edit));
}

bool isWholeType(std::int64_t type) {
  using ::onnx::TensorProto;
  return (type >= TensorProto::UINT8 && type <= TensorProto::INT64) || type == TensorProto::BOOL ||
         type == TensorProto::UINT32 || type == TensorProto::UINT64;
}

// Makes integer inputs float32, as OpenCV 4 takes them, and casts them for the nodes that read
// them. OpenCV 5.0 takes an input only in the file's type.
void takeFloats(Model& model) {
  Edit edit;
  for (const Value& input : model.inputs()) {
    if (!isWholeType(input.type) || model.isOutput(input.name)) continue;
    Node cast;
    cast.set_op_type("Cast");
    cast.add_input(input.name);
    cast.add_output(model.unusedName(input.name + "_whole"));
    setAttribute(cast, "to", std::int64_t{input.type});
    edit.redirect.emplace_back(input.name, cast.output(0));
    edit.add.push_back(std::move(cast));
  }
  if (edit.add.empty()) return;
  model.apply(std::move(edit));
  model.changeInPlace([](::onnx::ModelProto& proto) {
    for (auto& input : *proto.mutable_graph()->mutable_input()) {
      auto& type = *input.mutable_type()->mutable_tensor_type();
      if (isWholeType(type.elem_type())) type.set_elem_type(::onnx::TensorProto::FLOAT);
    }
  });
}

}  // namespace

void fitOpenCv4(Model& model) {
  nameOutputTypes(model);
  readEachInput(model);
  model.changeInPlace([](::onnx::ModelProto& proto) {
    for (auto& input : *proto.mutable_graph()->mutable_input()) {
      if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) continue;
      auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
      if (shape.dim_size() > 0 && shape.dim_size() < 3) shape.mutable_dim(0)->clear_dim_param();
    }
  });
}

void fitOpenCv5(Model& model) {
  nameOutputTypes(model);
  takeFloats(model);
  refuseSamePads(model);
  std::vector<std::string> added;
  for (const Value& output : model.outputs()) {
    if (isMergeOutput(output.name)) added.push_back(output.name);
  }
  model.putLast(added);
  if (othersReadMerged(model)) return;
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isLayer(*node) || isOfPlanes(*node)) continue;
    const std::string names = "," + stringAttribute(*node, "inputs").value_or("tokens,map") + ",";
    if (names.find(",map,") != std::string::npos && !intAttribute(*node, "special")) return;
    if (!isOf(*node, LayerKind::mutualPairMerge)) continue;
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    setAttribute(edit.add.back(), "short", std::int64_t{1});
  }
  model.apply(std::move(edit));
}

}  // namespace mpm::onnx
