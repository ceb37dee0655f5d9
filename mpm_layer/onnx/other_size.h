// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/lower.h"
#include "onnx/recognise.h"
#include "onnx/values.h"

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
