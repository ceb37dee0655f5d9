// SPDX-License-Identifier: Apache-2.0
#include "dnn/onnx_model.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace mpm::test {
namespace {

void addValue(onnx::ValueInfoProto* value, const std::string& name, int batch,
              const std::vector<int>& sizes) {
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  auto* first = tensor->mutable_shape()->add_dim();
  if (batch > 0) {
    first->set_dim_value(batch);
  } else {
    first->set_dim_param("batch");
  }
  for (const int size : sizes) tensor->mutable_shape()->add_dim()->set_dim_value(size);
}

onnx::NodeProto* addNode(onnx::GraphProto* graph, const std::string& type, const std::string& name,
                         const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs) {
  auto* node = graph->add_node();
  node->set_domain("mpm");
  node->set_op_type(type);
  node->set_name(name);
  for (const auto& input : inputs) node->add_input(input);
  for (const auto& output : outputs) node->add_output(output);
  return node;
}

void addRegions(onnx::GraphProto* graph, onnx::NodeProto* node, int count) {
  auto* regions = graph->add_initializer();
  regions->set_name("regions");
  regions->set_data_type(onnx::TensorProto::FLOAT);
  regions->add_dims(1);
  regions->add_dims(count);
  for (int i = 0; i < count; ++i) regions->add_float_data(static_cast<float>(i % 3));
  node->add_input("regions");
  auto* names = node->add_attribute();
  names->set_name("inputs");
  names->set_type(onnx::AttributeProto::STRING);
  names->set_s("tokens,regions");
}

}  // namespace

std::vector<unsigned char> onnxModel(const MergeModel& model) {
  onnx::ModelProto proto;
  proto.set_ir_version(7);
  auto* opset = proto.add_opset_import();
  opset->set_domain("");
  opset->set_version(13);
  opset = proto.add_opset_import();
  opset->set_domain("mpm");
  opset->set_version(1);
  auto* graph = proto.mutable_graph();
  graph->set_name("merges");
  addValue(graph->add_input(), "tokens", model.batch, {model.special + model.image, model.dim});

  std::vector<std::string> state = {"tokens"};
  for (int m = 0; m < model.merges; ++m) {
    const std::string suffix = m + 1 == model.merges ? "" : std::to_string(m);
    const std::vector<std::string> outputs = {"tokens_out" + suffix, "rows" + suffix,
                                              "map" + suffix};
    auto* node = addNode(graph, "MutualPairMerge", "merge" + std::to_string(m), state, outputs);
    auto* special = node->add_attribute();
    special->set_name("special");
    special->set_type(onnx::AttributeProto::INT);
    special->set_i(model.special);
    if (m == 0 && model.constantRegions) addRegions(graph, node, model.image);
    state = outputs;
  }
  addNode(graph, "MergeRestore", "restore", {state[0], "map"}, {"full"});
  addValue(graph->add_output(), "full", model.batch, {model.special + model.image, model.dim});
  addValue(graph->add_output(), "rows", model.batch, {1});
  addValue(graph->add_output(), "map", model.batch, {model.image});
  const std::string bytes = proto.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

}  // namespace mpm::test
