// SPDX-License-Identifier: Apache-2.0
// Operators that sum over products.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/equation.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

bool isSet(const Call& call, const char* name) {
  return intAttribute(call.node, name).value_or(0) != 0;
}

// Of matrices, or stacks of matrices, whose last two axes change places first if told so.
Dims productDims(Dims a, Dims b, bool swapsA, bool swapsB) {
  if (!a || !b || a->empty() || b->empty()) return std::nullopt;
  const bool isRow = a->size() == 1, isColumn = b->size() == 1;
  if (isRow) a->insert(a->begin(), 1);
  if (isColumn) b->push_back(1);
  if (swapsA && !isRow) std::swap(a->end()[-1], a->end()[-2]);
  if (swapsB && !isColumn) std::swap(b->end()[-1], b->end()[-2]);
  const std::int64_t rows = a->end()[-2], columns = b->end()[-1];
  if (isNumber(a->back()) && isNumber(b->end()[-2]) && a->back() != b->end()[-2]) {
    return std::nullopt;
  }
  a->resize(a->size() - 2);
  b->resize(b->size() - 2);
  Dims dims = broadcastSizes(*a, *b);
  if (!dims) return std::nullopt;
  if (!isRow) dims->push_back(rows);
  if (!isColumn) dims->push_back(columns);
  return dims;
}

using Letters = std::map<char, std::int64_t>;

// Gives the letters of one operand of an equation their sizes.
void readOperand(const std::string& letters, const Integers& dims, Letters& sizes) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto [found, isNew] = sizes.emplace(letters[i], dims[i]);
    if (isNew || found->second == 1) {
      found->second = dims[i];
    } else if (!isNumber(found->second) && isNumber(dims[i]) && dims[i] != 1) {
      found->second = dims[i];
    }
  }
}

}  // namespace

Dims shapeMatMul(const Call& call) {
  return productDims(call.copyOf(0), call.copyOf(1), false, false);
}

Dims shapeFusedMatMul(const Call& call) {
  if (isSet(call, "transBatchA") || isSet(call, "transBatchB")) return std::nullopt;
  return productDims(call.copyOf(0), call.copyOf(1), isSet(call, "transA"), isSet(call, "transB"));
}

Dims shapeGemm(const Call& call) {
  const Integers *a = call.dims(0), *b = call.dims(1);
  if ((a && a->size() != 2) || (b && b->size() != 2)) return std::nullopt;
  const std::int64_t rows = a ? (*a)[isSet(call, "transA") ? 1 : 0] : kUnknown;
  const std::int64_t columns = b ? (*b)[isSet(call, "transB") ? 0 : 1] : kUnknown;
  return Integers{rows, columns};
}

Dims shapeEinsum(const Call& call) {
  const auto count = static_cast<std::size_t>(call.node.input_size());
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < count; ++i) {
    const Integers* dims = call.dims(i);
    if (!dims) return std::nullopt;
    ranks.push_back(dims->size());
  }
  const auto equation = readEquation(call.node, ranks);
  if (!equation) return std::nullopt;
  Letters sizes;
  for (std::size_t i = 0; i < count; ++i) {
    readOperand(equation->operands[i], *call.dims(i), sizes);
  }
  Integers dims;
  for (const char letter : equation->result) {
    const auto found = sizes.find(letter);
    if (found == sizes.end()) return std::nullopt;
    dims.push_back(found->second);
  }
  return dims;
}

}  // namespace mpm::onnx
