// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/facts.h"
#include "onnx/find_linear.h"
#include "onnx/find_normalize.h"

namespace mpm::onnx {

// The end of Segmenter's mask transformer.
struct FoundMaskHead {
  std::string patches, classes;  // rows of tokens that are projected
  FoundLinear projPatch, projClasses;
  FoundNormalize norm;  // over the classes
  std::vector<const Node*> nodes;
};

// Is `value` norm(unit(patches A) unit(classes B)T)? unit divides a row by its length.
std::optional<FoundMaskHead> findMaskHead(const Facts& facts, const std::string& value);

}  // namespace mpm::onnx
