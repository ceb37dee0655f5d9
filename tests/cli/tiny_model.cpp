// SPDX-License-Identifier: Apache-2.0
#include "cli/made_models.h"

#include <cstddef>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace mpm::test {
namespace {

void addValue(::onnx::ValueInfoProto* value, const std::string& name) {
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(::onnx::TensorProto::FLOAT);
  tensor->mutable_shape()->add_dim()->set_dim_param("batch");
  tensor->mutable_shape()->add_dim()->set_dim_value(2);
  tensor->mutable_shape()->add_dim()->set_dim_value(3);
}

void addNode(::onnx::GraphProto* graph, const std::string& type,
             const std::vector<std::string>& inputs, const std::string& output) {
  auto* node = graph->add_node();
  node->set_op_type(type);
  for (const std::string& input : inputs) node->add_input(input);
  node->add_output(output);
}

}  // namespace

std::string tinyModel(const TinyModel& model) {
  ::onnx::ModelProto proto;
  proto.set_ir_version(7);
  proto.add_opset_import()->set_version(13);
  auto* graph = proto.mutable_graph();
  graph->set_name("tiny");
  std::string sum = model.inputs.at(0);
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    addValue(graph->add_input(), model.inputs[i]);
    if (i == 0) continue;
    const std::string next = "sum" + std::to_string(i);
    addNode(graph, "Add", {sum, model.inputs[i]}, next);
    sum = next;
  }
  for (const std::string& output : model.outputs) {
    addNode(graph, "Relu", {sum}, output);
    addValue(graph->add_output(), output);
  }
  for (const auto& [key, value] : model.metadata) {
    auto* property = proto.add_metadata_props();
    property->set_key(key);
    property->set_value(value);
  }
  return proto.SerializeAsString();
}

}  // namespace mpm::test
