// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/error.h"
#include "onnx/model.h"

namespace mpm::onnx {

// The model as the bytes of an ONNX file, external data included; reading them gives the same
// model. ModelError if they would be over 2 GB, protobuf's limit.
std::string writeModel(const Model& model);

// The same to a file, without a copy of the weights in memory. The file appears whole or not at
// all: it is written beside its place and then renamed, so a reader sees the old or the new one. On
// failure nothing is left behind, and a device or a pipe stays one. ModelError begins with the
// file's name. (Not synchronised: a power cut in the seconds after may lose it.)
void writeModel(const Model& model, const std::string& path);

}  // namespace mpm::onnx
