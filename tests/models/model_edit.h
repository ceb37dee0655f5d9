// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/graph/proto.h"

namespace mpm::test {

/// The model in a file, to be changed.
::onnx::ModelProto protoOf(const std::string& path);

/// Opens height and width of the model's first input, [B, C, H, W].
void openSize(::onnx::ModelProto& model);

/// Leaves one of the graph's outputs.
void keepOutput(::onnx::ModelProto& model, const std::string& name);

void setMetadata(::onnx::ModelProto& model, const std::string& key, const std::string& value);

/// Replaces an entry (location, offset, length) of every constant whose data are in another file.
void setExternal(::onnx::ModelProto& model, const std::string& key, const std::string& value);

}  // namespace mpm::test
