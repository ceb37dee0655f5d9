// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mpm/export.h"

namespace mpm::dnn {

/// Returns a model's file, the files that it names for its weights, and its metadata file
/// (model.toml next to model.onnx). Does not check that they exist or that it is a model.
MPM_API std::vector<std::string> filesOfModel(const std::string& path);

}  // namespace mpm::dnn
