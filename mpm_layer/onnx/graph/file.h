// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/graph/proto.h"

namespace mpm::onnx {

// Reads an ONNX file, and the files beside it that hold its weights if it has such. Throws
// ModelError, one sentence that begins with the file's name, unless the whole model is sound: see
// Model, Tensor and ExternalData for what is checked.
//
// Memory: the weights once, and while reading, one more tensor if it is over 50 MB. A file itself
// may have 2 GB, protobuf's limit; external weights any number. Nothing is allocated for what a
// file claims before it was compared with what the file holds.
Model readModel(const std::string& path);

// The files that hold a model's weights beside it, as it names them; none of what is no model.
// Reads no weights, and checks nothing.
std::vector<std::string> weightFiles(const std::string& path);

// The same from memory, where external data cannot be reached and are refused. `name` stands for
// the file's name in errors. The bytes are not needed afterwards.
Model readModel(const void* bytes, std::size_t size, const std::string& name = "model");

// Puts the nodes of a model's own functions where they are called, in subgraphs and in each other,
// too, and the functions away. ModelError where functions call each other without end, are of
// another opset than the model, or a call does not fit its function.
void callFunctions(::onnx::ModelProto& model);

// The model as the bytes of an ONNX file, external data included; reading them gives the same
// model. ModelError if they would be over 2 GB, protobuf's limit.
std::string writeModel(const Model& model);

// The same to a file, without a copy of the weights in memory. The file appears whole or not at
// all: it is written beside its place and then renamed, so a reader sees the old or the new one. On
// failure nothing is left behind, and a device or a pipe stays one. ModelError begins with the
// file's name. (Not synchronised: a power cut in the seconds after may lose it.)
void writeModel(const Model& model, const std::string& path);

}  // namespace mpm::onnx
