// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/graph/proto.h"

namespace mpm::onnx {

// Reads an ONNX file, and the files next to it that hold its weights, if any. Throws a ModelError,
// one sentence that starts with the file's name, unless the whole model is sound. Model, Tensor and
// ExternalData say what is checked.
//
// Memory: the weights once, and while reading, one more tensor if it is over 50 MB. A file itself
// may have 2 GB, protobuf's limit; external weights any number. Sizes that a file claims are
// compared with its contents before anything is allocated for them.
Model readModel(const std::string& path);

// Returns the files next to a model that hold its weights, by the names in it. Returns none if it
// is not a model. Reads no weights, and checks nothing.
std::vector<std::string> weightFiles(const std::string& path);

// Reads a model from memory. External data cannot be reached and are refused. `name` replaces the
// file's name in errors. The bytes are not needed afterwards.
Model readModel(const void* bytes, std::size_t size, const std::string& name = "model");

// Inlines the model's own functions wherever they are called, in subgraphs and in each other too,
// and removes them. Throws a ModelError if functions recurse, need another opset than the model, or
// are called wrongly.
void callFunctions(::onnx::ModelProto& model);

// Returns the model as the bytes of an ONNX file, external data included; reading them gives the
// same model. Throws a ModelError if they would be over 2 GB, protobuf's limit.
std::string writeModel(const Model& model);

// Writes the model to a file, without a copy of the weights in memory. The file appears complete or
// not at all: it is written under another name and then renamed. On failure nothing is left, and a
// device or a pipe stays one. A ModelError starts with the file's name. (Not synchronised: a power
// cut in the seconds after may lose it.)
void writeModel(const Model& model, const std::string& path);

}  // namespace mpm::onnx
