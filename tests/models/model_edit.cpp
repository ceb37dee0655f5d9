// SPDX-License-Identifier: Apache-2.0
#include "model_edit.h"

#include <fstream>
#include <stdexcept>

namespace mpm::test {

::onnx::ModelProto protoOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ::onnx::ModelProto model;
  if (!model.ParseFromIstream(&file)) throw std::runtime_error("cannot parse " + path);
  return model;
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
