// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mpm/net.h"
#include "onnx/layers/rewrite_model.h"

namespace mpm::dnn {

/// std::invalid_argument where they say nothing of sense.
onnx::RewriteOptions rewriteOptions(const ReadOptions& options);

/// planRewriting; what is wrong with the model begins with its name.
onnx::Rewriting planRewriting(onnx::Model& model, const ReadOptions& options,
                              const std::string& name);

}  // namespace mpm::dnn
