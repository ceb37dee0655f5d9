// SPDX-License-Identifier: Apache-2.0
#include "dnn/onnx_graph.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace mpm::test {
namespace {

void addValue(onnx::ValueInfoProto* value, const OnnxValue& from) {
  value->set_name(from.name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(from.isWhole ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
  for (const int size : from.shape) {
    auto* dim = tensor->mutable_shape()->add_dim();
    if (size > 0) {
      dim->set_dim_value(size);
    } else {
      dim->set_dim_param("batch");
    }
  }
}

void addNode(onnx::NodeProto* node, const OnnxNode& from) {
  // OpenCV 5.0 looks for layers by the operator alone.
  const bool isHidden = from.domain == "mpm" && CV_VERSION_MAJOR >= 5;
  node->set_domain(isHidden ? "" : from.domain);
  node->set_op_type((isHidden ? "mpm." : "") + from.type);
  if (!from.name.empty()) node->set_name(from.name);
  for (const auto& input : from.inputs) node->add_input(input);
  for (const auto& output : from.outputs) node->add_output(output);
  for (const auto& [name, value] : from.numbers) {
    auto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
  }
  for (const auto& [name, value] : from.texts) {
    auto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(value);
  }
}

void addConstant(onnx::TensorProto* tensor, const std::string& name, const cv::Mat& from) {
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (int axis = 0; axis < from.dims; ++axis) tensor->add_dims(from.size[axis]);
  tensor->set_raw_data(from.data, from.total() * sizeof(float));
}

void addDomain(onnx::ModelProto& model, const std::string& domain, int version) {
  auto* opset = model.add_opset_import();
  opset->set_domain(domain);
  opset->set_version(version);
}

void addRegions(OnnxGraph& graph, OnnxNode& node, int count) {
  cv::Mat regions(1, count, CV_32F);
  for (int i = 0; i < count; ++i) regions.ptr<float>()[i] = static_cast<float>(i % 3);
  graph.constants["regions"] = regions;
  node.inputs.push_back("regions");
  node.texts["inputs"] = "tokens,regions";
}

}  // namespace

OnnxNode onnxNode(const std::string& type, const std::vector<std::string>& inputs,
                  const std::string& output) {
  OnnxNode node{type, "", inputs, {output}};
  node.domain = "";
  return node;
}

std::vector<unsigned char> onnxBytes(const OnnxGraph& graph) {
  onnx::ModelProto model;
  model.set_ir_version(7);
  addDomain(model, "", 13);
  addDomain(model, "mpm", 1);
  auto* proto = model.mutable_graph();
  proto->set_name("graph");
  for (const OnnxValue& input : graph.inputs) addValue(proto->add_input(), input);
  for (const OnnxValue& output : graph.outputs) addValue(proto->add_output(), output);
  for (const OnnxNode& node : graph.nodes) addNode(proto->add_node(), node);
  for (const auto& [name, mat] : graph.constants) addConstant(proto->add_initializer(), name, mat);
  const std::string bytes = model.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

std::vector<unsigned char> onnxModel(const MergeModel& model) {
  const int capacity = model.special + model.image;
  OnnxGraph graph;
  graph.inputs = {{"tokens", {model.batch, capacity, model.dim}}};
  std::vector<std::string> state = {"tokens"};
  for (int m = 0; m < model.merges; ++m) {
    const std::string suffix = m + 1 == model.merges ? "" : std::to_string(m);
    const std::vector<std::string> outputs = {"tokens_out" + suffix, "rows" + suffix,
                                              "map" + suffix};
    OnnxNode node{"MutualPairMerge", "merge" + std::to_string(m), state, outputs};
    node.numbers["special"] = model.special;
    if (m == 0 && model.constantRegions) addRegions(graph, node, model.image);
    graph.nodes.push_back(node);
    state = outputs;
  }
  graph.nodes.push_back({"MergeRestore", "restore", {state[0], "map"}, {"full"}});
  graph.outputs = {{"full", {model.batch, capacity, model.dim}},
                   {"rows", {model.batch, 1}},
                   {"map", {model.batch, model.image}}};
  return onnxBytes(graph);
}

}  // namespace mpm::test
