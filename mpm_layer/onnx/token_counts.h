// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/recognise.h"
#include "onnx/values.h"

namespace mpm::onnx {

// A constant that multiplies or divides, and was made from how many rows or pixels there are: the
// divisor of a deviation over all tokens, or of their sum.
struct TokenCount {
  std::string value;            // what the node gives whose input it is
  int input = 0;                // which of them
  std::optional<float> number;  // at the other size; nothing where it may be another thing
};

// Of what is summed up from n rows or pixels, where n is another one at the other size: constants
// that are n, n - 1 or n / (n - 1), or one over these, or behind a root the root of these. A number
// that is that of the features as well counts if one beside it does. `facts` are those of the model
// at its own size.
std::vector<TokenCount> tokenCounts(const Facts& facts, const SizeChange& change);

// Puts the numbers of the other size into those nodes that are still there. ModelError that names
// the node where its number cannot be told.
void replaceCounts(Model& model, const std::vector<TokenCount>& counts);

}  // namespace mpm::onnx
