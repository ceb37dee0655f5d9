// SPDX-License-Identifier: Apache-2.0
// Products of matrices: MatMul, Gemm, and Einsum by means of them.

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"
#include "processor/pool.h"

namespace mpm::onnx {

namespace {

// Adds a row's share of out [m n] = a [m k] b [k n].
void multiplyRow(const float* a, const float* b, float* out, std::size_t k, std::size_t n) {
  for (std::size_t i = 0; i < k; ++i) {
    const float factor = a[i];
    const float* row = b + i * n;
    for (std::size_t j = 0; j < n; ++j) out[j] += factor * row[j];
  }
}

// Packing the operands of a product costs little next to this many multiplications.
constexpr std::size_t kLargeProduct = std::size_t{1} << 20;

bool hasDiagonal(const Equation& equation) {
  for (const std::string& letters : equation.operands) {
    for (const char letter : letters) {
      if (std::count(letters.begin(), letters.end(), letter) > 1) return true;
    }
  }
  return false;
}

// A value with letters for its axes.
struct Lettered {
  KnownTensor value;
  std::string letters;
};

// Sums over the axes with letters that are not `needed`.
Lettered summed(Lettered operand, const std::string& needed) {
  for (std::size_t axis = operand.letters.size(); axis-- > 0;) {
    if (needed.find(operand.letters[axis]) != std::string::npos) continue;
    Integers dims = operand.value.dims;
    Strides strides = stridesOf(dims);
    const std::size_t outer = product(dims, 0, axis), size = static_cast<std::size_t>(dims[axis]);
    const std::size_t inner = product(dims, axis + 1, dims.size());
    std::vector<float> sums(outer * inner);
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < inner; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < size; ++k) {
          sum += static_cast<double>(operand.value.floats[(o * size + k) * inner + i]);
        }
        sums[o * inner + i] = static_cast<float>(sum);
      }
    }
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    operand.letters.erase(axis, 1);
    operand.value.dims = dims;
    operand.value.floats = std::move(sums);
  }
  return operand;
}

// Puts axes in this order; missing ones have one element.
KnownTensor arranged(const Lettered& operand, const std::string& letters) {
  const Strides own = stridesOf(operand.value.dims);
  Integers dims;
  Strides strides;
  for (const char letter : letters) {
    const std::size_t axis = operand.letters.find(letter);
    dims.push_back(axis == std::string::npos ? 1 : operand.value.dims[axis]);
    strides.push_back(axis == std::string::npos ? 0 : own[axis]);
  }
  return pickStrided(operand.value, dims, strides);
}

// Multiplies two operands; `kept` letters stay. As matrices, axes are batch, left, right, or
// summed.
std::optional<Lettered> multiplied(const Lettered& a, const Lettered& b, const std::string& kept,
                                   const MatrixProduct* large) {
  std::string batch, left, right, inner;
  for (const char letter : a.letters) {
    const bool isShared = b.letters.find(letter) != std::string::npos;
    const bool isKept = kept.find(letter) != std::string::npos;
    (isShared ? (isKept ? batch : inner) : left) += letter;
  }
  for (const char letter : b.letters) {
    if (a.letters.find(letter) == std::string::npos) right += letter;
  }
  KnownTensor first = arranged(a, batch + left + inner),
              second = arranged(b, batch + inner + right);
  const auto matrices = [&](KnownTensor& value, std::size_t rows, std::size_t columns) {
    const Integers dims = value.dims;
    value.dims.resize(batch.size());
    value.dims.push_back(
        static_cast<std::int64_t>(product(dims, batch.size(), batch.size() + rows)));
    value.dims.push_back(static_cast<std::int64_t>(
        product(dims, batch.size() + rows, batch.size() + rows + columns)));
  };
  Integers dims;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    dims.push_back(std::max(first.dims[i], second.dims[i]));
  }
  for (std::size_t i = 0; i < left.size(); ++i) dims.push_back(first.dims[batch.size() + i]);
  for (std::size_t i = 0; i < right.size(); ++i) {
    dims.push_back(second.dims[batch.size() + inner.size() + i]);
  }
  matrices(first, left.size(), inner.size());
  matrices(second, inner.size(), right.size());
  Result made = matMul(first, second, large);
  if (!made) return std::nullopt;
  return Lettered{reshaped(*made, dims), batch + left + right};
}

Result foldMatMul(const Call& call) {
  const KnownTensor *a = sureFloats(call.input(0)), *b = sureFloats(call.input(1));
  if (!a || !b || a->dims.empty() || b->dims.empty()) return std::nullopt;
  const bool isRow = a->dims.size() == 1, isColumn = b->dims.size() == 1;
  Result result =
      matMul(isRow ? reshaped(*a, {1, a->dims[0]}) : *a,
             isColumn ? reshaped(*b, {b->dims[0], 1}) : *b, call.product, call.keepsSecond);
  if (!result) return std::nullopt;
  if (isColumn) result->dims.pop_back();
  if (isRow) result->dims.erase(result->dims.end() - (isColumn ? 1 : 2));
  return result;
}

Result foldGemm(const Call& call) {
  const KnownTensor *a = sureFloats(call.input(0)), *b = sureFloats(call.input(1));
  if (!a || !b || a->dims.size() != 2 || b->dims.size() != 2) return std::nullopt;
  const auto operand = [&](const KnownTensor& value, const char* isTurned) {
    return intAttribute(call.node, isTurned).value_or(0) != 0
               ? transposed(value, value.dims, {1, 0})
               : value;
  };
  const bool keepsB = call.keepsSecond && intAttribute(call.node, "transB").value_or(0) == 0;
  Result result = matMul(operand(*a, "transA"), operand(*b, "transB"), call.product, keepsB);
  if (!result) return std::nullopt;
  const float alpha = floatAttribute(call.node, "alpha").value_or(1);
  const float beta = floatAttribute(call.node, "beta").value_or(1);
  float* const sums = result->floats.write();
  for (std::size_t i = 0; alpha != 1 && i < result->count(); ++i) sums[i] *= alpha;
  if (!call.has(2)) return result;
  const KnownTensor* c = sureFloats(call.input(2));
  const auto summands = c ? broadcastTo(*c, result->dims) : std::nullopt;
  if (!summands) return std::nullopt;
  for (std::size_t i = 0; i < result->count(); ++i) sums[i] += beta * summands->floats[i];
  return result;
}

Result foldEinsum(const Call& call) {
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const KnownTensor* operand = sureFloats(call.input(i));
    if (!operand) return std::nullopt;
    ranks.push_back(operand->dims.size());
  }
  const auto equation = readEquation(call.node, ranks);
  if (!equation || hasDiagonal(*equation)) return std::nullopt;
  std::optional<Lettered> made;
  for (std::size_t i = 0; i < equation->operands.size(); ++i) {
    std::string kept = equation->result;  // and what the operands to come need
    for (std::size_t k = i + 1; k < equation->operands.size(); ++k) kept += equation->operands[k];
    const std::string& letters = equation->operands[i];
    Lettered next{*call.input(i), letters};
    made =
        made ? multiplied(*made, summed(std::move(next), kept + made->letters), kept, call.product)
             : next;
    if (!made) return std::nullopt;
    made = summed(std::move(*made), kept);
  }
  if (made->letters.size() != equation->result.size()) return std::nullopt;
  for (const char letter : equation->result) {
    if (made->letters.find(letter) == std::string::npos) return std::nullopt;
  }
  return arranged(*made, equation->result);
}

// Operators that sum over products.

bool isSet(const Call& call, const char* name) {
  return intAttribute(call.node, name).value_or(0) != 0;
}

// Returns the dims for matrices, or stacks of them. swapsA, swapsB: swaps the last two axes first.
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

}  // namespace

Result matMul(const KnownTensor& a, const KnownTensor& b, const MatrixProduct* large, bool keepsB) {
  const std::size_t rankA = a.dims.size(), rankB = b.dims.size();
  if (rankA < 2 || rankB < 2 || a.dims[rankA - 1] != b.dims[rankB - 2]) return std::nullopt;
  const Integers batchA(a.dims.begin(), a.dims.end() - 2), batchB(b.dims.begin(), b.dims.end() - 2);
  const auto batch = broadcastSizes(batchA, batchB);
  if (!batch) return std::nullopt;
  auto m = static_cast<std::size_t>(a.dims[rankA - 2]);
  const auto k = static_cast<std::size_t>(a.dims[rankA - 1]);
  const auto n = static_cast<std::size_t>(b.dims[rankB - 1]);
  auto fromA = broadcastPlaces(batchA, *batch), fromB = broadcastPlaces(batchB, *batch);
  Integers dims = *batch;
  dims.insert(dims.end(), {a.dims[rankA - 2], b.dims[rankB - 1]});
  if (fromA && fromB && batchA == *batch && product(batchB, 0, batchB.size()) == 1) {
    m *= fromA->size();  // one matrix for all of `a`
    fromA->resize(std::min<std::size_t>(fromA->size(), 1));
  }
  const bool isLarge = large != nullptr && m > 1 && n > 1 && m * n * k >= kLargeProduct;
  Result result = !fromA || !fromB ? std::nullopt
                  : isLarge        ? unwritten(a.type, dims)
                                   : zeros(a.type, dims);
  if (!result) return std::nullopt;
  const auto left = [&](std::size_t matrix) { return a.floats.data() + (*fromA)[matrix] * m * k; };
  const auto right = [&](std::size_t matrix) { return b.floats.data() + (*fromB)[matrix] * k * n; };
  float* const out = result->floats.write();
  if (isLarge) {
    for (std::size_t i = 0; i < fromA->size(); ++i)
      (*large)(left(i), right(i), out + i * m * n, m, k, n, keepsB);
    return result;
  }
  processor::forEachTask(fromA->size() * m, [&](std::size_t task) {
    const std::size_t matrix = task / m, row = task % m;
    multiplyRow(left(matrix) + row * k, right(matrix), out + task * n, k, n);
  });
  return result;
}

const Operators& productOperators() {
  static const Operators rows = {
      {"Einsum", first<shapeEinsum>, one<foldEinsum>},
      {"Gemm", first<shapeGemm>, one<foldGemm>},
      {"MatMul", first<shapeMatMul>, one<foldMatMul>},
      {"com.microsoft:FusedGemm", first<shapeGemm>},
      {"com.microsoft:FusedMatMul", first<shapeFusedMatMul>},
      {"com.microsoft:TransposeMatMul", first<shapeFusedMatMul>},
  };
  return rows;
}

}  // namespace mpm::onnx
