// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mpm/export.h"

namespace mpm::dnn {

/// A model's file, those that it names for its weights, and its facts (model.toml beside
/// model.onnx). Whether they are there, and whether it is a model, is not asked.
MPM_API std::vector<std::string> filesOfModel(const std::string& path);

}  // namespace mpm::dnn
