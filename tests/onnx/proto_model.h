// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "onnx/graph/proto.h"

namespace mpm::test {

using Strings = std::vector<std::string>;

// Protobuf models for tests, one call each part. A new one has an opset and a graph without
// content.
::onnx::ModelProto emptyModel();
void addInput(::onnx::ModelProto& model, const std::string& name,
              const std::vector<std::int64_t>& dims);  // -1: the symbol "batch"
void addOutput(::onnx::ModelProto& model, const std::string& name);
// Of opset 18, with an input "x" of these dims, and the output "y".
::onnx::ModelProto modelFromX(const std::vector<std::int64_t>& dims);
::onnx::NodeProto& addNode(::onnx::ModelProto& model, const std::string& type,
                           const Strings& inputs, const Strings& outputs);
::onnx::TensorProto& addConstant(::onnx::ModelProto& model, const std::string& name,
                                 const std::vector<std::int64_t>& dims,
                                 const std::vector<float>& values);
// A constant whose data are at this place of another file; nullptr leaves an entry out.
::onnx::TensorProto& addExternal(::onnx::ModelProto& model, const std::string& name,
                                 const std::vector<std::int64_t>& dims, const char* location,
                                 const char* offset = nullptr, const char* length = nullptr);

// image [batch, 4] -> MatMul with a 4 x 2 constant -> Add a Constant node's bias -> scores.
::onnx::ModelProto linearModel();

// The sentence with which reading this model, or these bytes, is refused; "accepted" if it is not.
std::string refusal(const ::onnx::ModelProto& model);
std::string refusal(const std::string& bytes);
std::string fileRefusal(const std::filesystem::path& file);

// A new folder, gone with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path put(const std::string& name, const std::string& bytes) const;
  std::vector<std::string> list() const;  // names in order

 private:
  std::filesystem::path path_;
};

}  // namespace mpm::test
