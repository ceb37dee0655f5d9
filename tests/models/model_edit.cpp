// SPDX-License-Identifier: Apache-2.0
#include "model_edit.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace mpm::test {

namespace {

const ::onnx::TensorProto* initializer(const ::onnx::ModelProto& model, const std::string& name) {
  for (const auto& constant : model.graph().initializer()) {
    if (constant.name() == name) return &constant;
  }
  return nullptr;
}

/// Of "tokens,rows,map": which is "map"? -1: none.
int placeOf(const ::onnx::NodeProto& node, const std::string& input) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() != "inputs") continue;
    std::istringstream names(attribute.s());
    int place = 0;
    for (std::string name; std::getline(names, name, ','); ++place) {
      if (name == input) return place;
    }
  }
  return -1;
}

}  // namespace

::onnx::ModelProto protoOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ::onnx::ModelProto model;
  if (!model.ParseFromIstream(&file)) throw std::runtime_error("cannot parse " + path);
  return model;
}

cv::Mat constantOf(const ::onnx::ModelProto& model, const std::string& type,
                   const std::string& input) {
  for (const auto& node : model.graph().node()) {
    if (node.op_type() != type) continue;
    const int place = placeOf(node, input);
    const auto* constant = place < 0 ? nullptr : initializer(model, node.input(place));
    if (constant == nullptr) return {};
    const std::vector<int> dims(constant->dims().begin(), constant->dims().end());
    cv::Mat mat(dims, CV_32F);
    const std::string& bytes = constant->raw_data();
    if (bytes.size() != mat.total() * sizeof(float))
      throw std::runtime_error(input + " is not float32 in raw data");
    std::memcpy(mat.data, bytes.data(), bytes.size());
    return mat;
  }
  return {};
}

void openSize(::onnx::ModelProto& model) {
  auto& shape = *model.mutable_graph()
                     ->mutable_input(0)
                     ->mutable_type()
                     ->mutable_tensor_type()
                     ->mutable_shape();
  for (const int axis : {2, 3}) shape.mutable_dim(axis)->set_dim_param("d" + std::to_string(axis));
}

void keepOutput(::onnx::ModelProto& model, const std::string& name) {
  auto& outputs = *model.mutable_graph()->mutable_output();
  for (int i = outputs.size() - 1; i >= 0; --i) {
    if (outputs[i].name() != name) outputs.DeleteSubrange(i, 1);
  }
}

void setMetadata(::onnx::ModelProto& model, const std::string& key, const std::string& value) {
  auto* entry = model.add_metadata_props();
  entry->set_key(key);
  entry->set_value(value);
}

void setExternal(::onnx::ModelProto& model, const std::string& key, const std::string& value) {
  for (auto& constant : *model.mutable_graph()->mutable_initializer()) {
    for (auto& entry : *constant.mutable_external_data()) {
      if (entry.key() == key) entry.set_value(value);
    }
  }
}

}  // namespace mpm::test
