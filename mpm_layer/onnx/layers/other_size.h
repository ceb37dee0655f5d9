// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/layers/recognise.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

struct ResizedInput {
  std::string name;
  Integers sizes;  // all but the batch
  SizeChange change;
};

// The dims of a rewritten model's values at another input size than its own. In front of its layers
// they are worked out anew; behind them they are those at its own size, by `ownDims`, changed as
// sizes of its head are (replaceSizes). Where it cannot be told what these become, each is -1.
std::unordered_map<std::string, Integers> dimsAtSize(const Model& model, const ResizedInput& input,
                                                     const DimsOf& ownDims);

}  // namespace mpm::onnx
