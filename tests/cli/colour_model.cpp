// SPDX-License-Identifier: Apache-2.0
#include "cli/made_models.h"

#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace mpm::test {
namespace {

constexpr int kPatch = 16;

void addValue(onnx::ValueInfoProto* value, const std::string& name, const std::vector<int>& shape) {
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  for (const int size : shape) tensor->mutable_shape()->add_dim()->set_dim_value(size);
}

void addConstant(onnx::GraphProto* graph, const std::string& name, const std::vector<int>& shape,
                 const std::vector<float>& values) {
  auto* constant = graph->add_initializer();
  constant->set_name(name);
  constant->set_data_type(onnx::TensorProto::FLOAT);
  for (const int size : shape) constant->add_dims(size);
  for (const float value : values) constant->add_float_data(value);
}

void addSides(onnx::NodeProto* node, const std::string& name) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  attribute->add_ints(kPatch);
  attribute->add_ints(kPatch);
}

}  // namespace

cv::Vec3b classColour(int k) {
  return {static_cast<uchar>(k % 6 * 50), static_cast<uchar>(k / 6 % 6 * 50),
          static_cast<uchar>(k / 36 % 6 * 50)};
}

// The nearest colour c to x has the largest 2 c x - c c.
std::string colourModel(int classes, int side) {
  std::vector<float> weights, biases;
  for (int k = 0; k < classes; ++k) {
    float bias = 0;
    for (int channel = 2; channel >= 0; --channel) {  // red first
      const float value = static_cast<float>(classColour(k)[channel]) / 127.5F - 1;
      weights.insert(weights.end(), kPatch * kPatch, 2 * value / (kPatch * kPatch));
      bias -= value * value;
    }
    biases.push_back(bias);
  }
  onnx::ModelProto proto;
  proto.set_ir_version(7);
  proto.add_opset_import()->set_version(13);
  auto* graph = proto.mutable_graph();
  graph->set_name("colours");
  addValue(graph->add_input(), "image", {1, 3, side, side});
  addValue(graph->add_output(), "masks", {1, classes, side / kPatch, side / kPatch});
  addConstant(graph, "weight", {classes, 3, kPatch, kPatch}, weights);
  addConstant(graph, "bias", {classes}, biases);
  auto* node = graph->add_node();
  node->set_op_type("Conv");
  for (const char* input : {"image", "weight", "bias"}) node->add_input(input);
  node->add_output("masks");
  addSides(node, "kernel_shape");
  addSides(node, "strides");
  return proto.SerializeAsString();
}

}  // namespace mpm::test
