// SPDX-License-Identifier: Apache-2.0
#include "onnx/proto_model.h"

#include <algorithm>
#include <fstream>
#include <random>

#include "onnx/graph/file.h"

namespace mpm::test {

::onnx::ModelProto emptyModel() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.mutable_graph()->set_name("test");
  auto* opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(17);
  return model;
}

void addInput(::onnx::ModelProto& model, const std::string& name,
              const std::vector<std::int64_t>& dims) {
  auto* value = model.mutable_graph()->add_input();
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(::onnx::TensorProto::FLOAT);
  tensor->mutable_shape();
  for (const std::int64_t dim : dims) {
    auto* entry = tensor->mutable_shape()->add_dim();
    if (dim >= 0) {
      entry->set_dim_value(dim);
    } else {
      entry->set_dim_param("batch");
    }
  }
}

void addOutput(::onnx::ModelProto& model, const std::string& name) {
  auto* value = model.mutable_graph()->add_output();
  value->set_name(name);
  value->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
}

::onnx::ModelProto modelFromX(const std::vector<std::int64_t>& dims) {
  ::onnx::ModelProto model = emptyModel();
  model.mutable_opset_import(0)->set_version(18);
  addInput(model, "x", dims);
  addOutput(model, "y");
  return model;
}

::onnx::NodeProto& addNode(::onnx::ModelProto& model, const std::string& type,
                           const Strings& inputs, const Strings& outputs) {
  auto& node = *model.mutable_graph()->add_node();
  node.set_op_type(type);
  node.set_name(outputs.empty() ? type : outputs[0] + "_node");
  for (const auto& input : inputs) node.add_input(input);
  for (const auto& output : outputs) node.add_output(output);
  return node;
}

::onnx::TensorProto& addConstant(::onnx::ModelProto& model, const std::string& name,
                                 const std::vector<std::int64_t>& dims,
                                 const std::vector<float>& values) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  for (const std::int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_raw_data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return tensor;
}

::onnx::TensorProto& addExternal(::onnx::ModelProto& model, const std::string& name,
                                 const std::vector<std::int64_t>& dims, const char* location,
                                 const char* offset, const char* length) {
  auto& tensor = addConstant(model, name, dims, {});
  tensor.clear_raw_data();
  tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char* key, const char* value) {
    if (!value) return;
    auto* entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location);
  add("offset", offset);
  add("length", length);
  return tensor;
}

::onnx::ModelProto linearModel() {
  auto model = emptyModel();
  addInput(model, "image", {-1, 4});
  addConstant(model, "weight", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  addNode(model, "MatMul", {"image", "weight"}, {"product"});
  auto* attribute = addNode(model, "Constant", {}, {"bias"}).add_attribute();
  attribute->set_name("value");
  attribute->set_type(::onnx::AttributeProto::TENSOR);
  attribute->mutable_t()->set_data_type(::onnx::TensorProto::FLOAT);
  attribute->mutable_t()->add_dims(2);
  attribute->mutable_t()->add_float_data(0.5f);
  attribute->mutable_t()->add_float_data(-0.5f);
  addNode(model, "Add", {"product", "bias"}, {"scores"});
  addOutput(model, "scores");
  return model;
}

namespace {

template <typename Read>
std::string refusalOf(Read read) {
  try {
    read();
  } catch (const onnx::ModelError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

std::string refusal(const ::onnx::ModelProto& model) { return refusal(model.SerializeAsString()); }

std::string refusal(const std::string& bytes) {
  return refusalOf([&] { onnx::readModel(bytes.data(), bytes.size()); });
}

std::string fileRefusal(const std::filesystem::path& file) {
  const std::string text = refusalOf([&] { onnx::readModel(file.string()); });
  const std::string prefix = file.string() + ": ";
  return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : "(without the name) " + text;
}

Folder::Folder() {
  std::random_device random;
  do {
    path_ = std::filesystem::temp_directory_path() / ("mpm_onnx_" + std::to_string(random()));
  } while (!std::filesystem::create_directory(path_));
  path_ = std::filesystem::canonical(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Folder::put(const std::string& name, const std::string& bytes) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << bytes;
  return path_ / name;
}

std::vector<std::string> Folder::list() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace mpm::test
