// SPDX-License-Identifier: Apache-2.0
// Einsum of one or two values as transpositions and a product of matrices, in the forms that
// attention and its projections have.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rules.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

namespace {

// An operand, or the result: a letter for each axis.
struct Factor {
  std::string value, letters;
  Integers dims;
};

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

bool areDistinct(const std::string& letters) {
  return std::all_of(letters.begin(), letters.end(), [&](char letter) {
    return std::count(letters.begin(), letters.end(), letter) == 1;
  });
}

// Returns those letters of `from` that are in `in`, or are not.
std::string lettersOf(const std::string& from, const std::string& in, bool areIn) {
  std::string kept;
  for (const char letter : from) {
    if (has(in, letter) == areIn) kept += letter;
  }
  return kept;
}

std::int64_t sizeOf(const Factor& factor, char letter) {
  return factor.dims[factor.letters.find(letter)];
}

std::int64_t sizeOf(const Factor& factor, const std::string& letters) {
  std::int64_t size = 1;
  for (const char letter : letters) size = times(size, sizeOf(factor, letter));
  return size;
}

// Letters of a product by role: in both operands and the result, in one operand and the result, or
// summed over.
struct Roles {
  std::string batch, left, right, sum;
};

std::optional<Roles> rolesOf(const Factor& a, const Factor& b, const std::string& result) {
  const Roles roles{lettersOf(lettersOf(result, a.letters, true), b.letters, true),
                    lettersOf(lettersOf(result, a.letters, true), b.letters, false),
                    lettersOf(lettersOf(result, b.letters, true), a.letters, false),
                    lettersOf(lettersOf(a.letters, b.letters, true), result, false)};
  const std::size_t used = roles.batch.size() + roles.sum.size();
  if (roles.sum.empty() || !areDistinct(a.letters) || !areDistinct(b.letters) ||
      !areDistinct(result) || a.letters.size() != used + roles.left.size() ||
      b.letters.size() != used + roles.right.size() ||
      result.size() != roles.batch.size() + roles.left.size() + roles.right.size())
    return std::nullopt;
  for (const char letter : roles.sum) {  // one that is 1 would be spread
    if (sizeOf(a, letter) < 1 || sizeOf(a, letter) != sizeOf(b, letter)) return std::nullopt;
  }
  return roles;
}

// Returns the value with its axes in another order.
std::string turned(Spelling& spelling, const std::string& value, const std::string& from,
                   const std::string& to, const std::string& output = "") {
  if (from == to && output.empty()) return value;
  if (from == to) return spelling.add("Identity", {value}, output);
  Integers order;
  for (const char letter : to) order.push_back(static_cast<std::int64_t>(from.find(letter)));
  return spellTranspose(spelling, value, order, output);
}

// Returns a constant of these letters as a matrix [rows x columns].
std::vector<float> asMatrix(const Factor& factor, const std::vector<float>& values,
                            const std::string& rows, const std::string& columns) {
  std::map<char, std::size_t> steps;
  std::size_t step = 1;
  for (std::size_t i = factor.letters.size(); i-- > 0;) {
    steps[factor.letters[i]] = step;
    step *= static_cast<std::size_t>(factor.dims[i]);
  }
  const std::string order = rows + columns;
  std::vector<float> matrix(values.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    std::size_t rest = i, place = 0;
    for (std::size_t axis = order.size(); axis-- > 0;) {
      const auto size = static_cast<std::size_t>(sizeOf(factor, order[axis]));
      place += rest % size * steps[order[axis]];
      rest /= size;
    }
    matrix[i] = values[place];
  }
  return matrix;
}

// Lowers a linear layer: rows of the first factor times the second one, a constant.
bool lowerProjection(Spelling& spelling, const Factor& a, const Factor& b, const Roles& roles,
                     const std::string& result) {
  const auto values = spelling.floatsIn(b.value);
  const std::int64_t in = sizeOf(b, roles.sum), out = sizeOf(b, roles.right);
  if (!values || values->empty() || !roles.batch.empty() || roles.left.empty() ||
      roles.right.empty() || static_cast<std::int64_t>(values->size()) != times(in, out))
    return false;
  const std::string matrix =
      spelling.floats({in, out}, asMatrix(b, *values, roles.sum, roles.right));
  std::string rows = turned(spelling, a.value, a.letters, roles.left + roles.sum);
  Integers dims(roles.left.size(), 0);
  if (roles.sum.size() > 1) {
    Integers joined = dims;
    joined.push_back(in);
    rows = spelling.add("Reshape", {rows, spelling.integers(joined)});
  }
  const std::string made = roles.left + roles.right;
  const bool isLast = made == result;
  const std::string& output = spelling.node().output(0);
  if (roles.right.size() == 1) {
    const std::string product =
        spelling.add("MatMul", {rows, matrix}, isLast ? output : std::string());
    if (!isLast) turned(spelling, product, made, result, output);
    return true;
  }
  const std::string product = spelling.add("MatMul", {rows, matrix});
  for (const char letter : roles.right) dims.push_back(sizeOf(b, letter));
  const std::string split =
      spelling.add("Reshape", {product, spelling.integers(dims)}, isLast ? output : std::string());
  if (!isLast) turned(spelling, split, made, result, output);
  return true;
}

// Returns [batch, .., rows, features] of a factor without the axes of `spread`; std::nullopt if
// more than one of its last sizes is unknown.
std::optional<Integers> withRoom(const Factor& factor, const std::string& batch,
                                 const std::string& spread, const std::string& last) {
  Integers dims(batch.size(), 0);
  dims.insert(dims.end(), spread.size(), 1);
  bool isOpen = false;
  for (const char letter : last) {
    const std::int64_t size = sizeOf(factor, letter);
    if (size < 1 && isOpen) return std::nullopt;
    isOpen = isOpen || size < 1;
    dims.push_back(size < 1 ? -1 : size);
  }
  return dims;
}

// Lowers a product of two values image by image and head by head. Broadcasts heads that the second
// one lacks.
bool lowerProduct(Spelling& spelling, const Factor& a, const Factor& b, const Roles& roles,
                  const std::string& result) {
  if (roles.batch.empty() || roles.left.empty() || roles.right.size() != 1 || roles.sum.size() != 1)
    return false;
  const std::string heads = roles.left.substr(0, roles.left.size() - 1);
  const std::string last = roles.sum + roles.right;
  const std::string made = roles.batch + roles.left + roles.right;
  if (!heads.empty() && made != result) return false;
  const auto room = withRoom(b, roles.batch, heads, last);
  if (!room) return false;
  const std::string left =
      turned(spelling, a.value, a.letters, roles.batch + roles.left + roles.sum);
  std::string right = turned(spelling, b.value, b.letters, roles.batch + last);
  if (!heads.empty()) right = spelling.add("Reshape", {right, spelling.integers(*room)});
  const std::string& output = spelling.node().output(0);
  const std::string product =
      spelling.add("MatMul", {left, right}, made == result ? output : std::string());
  if (made != result) turned(spelling, product, made, result, output);
  return true;
}

bool lowerTwo(Spelling& spelling, const Factor& a, const Factor& b, const std::string& result) {
  const auto roles = rolesOf(a, b, result);
  if (!roles) return false;
  return lowerProjection(spelling, a, b, *roles, result) ||
         lowerProduct(spelling, a, b, *roles, result);
}

}  // namespace

bool lowerEinsum(Spelling& spelling) {
  const Node& node = spelling.node();
  std::vector<std::size_t> ranks;
  std::vector<Factor> factors;
  for (int i = 0; i < node.input_size(); ++i) {
    const Integers* dims = spelling.dims(node.input(i));
    if (dims == nullptr) return false;
    ranks.push_back(dims->size());
    factors.push_back({node.input(i), {}, *dims});
  }
  const auto equation = readEquation(node, ranks);
  if (!equation || factors.empty() || factors.size() > 2) return false;
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i].letters = equation->operands[i];
  const std::string& result = equation->result;
  if (factors.size() == 2)
    return lowerTwo(spelling, factors[0], factors[1], result) ||
           lowerTwo(spelling, factors[1], factors[0], result);
  const std::string& letters = factors[0].letters;
  if (letters.size() != result.size() || !areDistinct(letters) ||
      !std::is_permutation(letters.begin(), letters.end(), result.begin()))
    return false;
  turned(spelling, node.input(0), letters, result, node.output(0));
  return true;
}

namespace {

// The other operand of a sum: rows of a product with weights, split into heads, perhaps with
// permuted axes.
struct SplitRows {
  const Node* turn = nullptr;  // may be null
  const Node* split = nullptr;
  std::string product;
  Integers dims, order;  // of the split's axes; and where each of the sum's is among them
};

std::optional<SplitRows> splitRows(const Spelling& spelling, const std::string& value) {
  SplitRows found;
  const Node* node = spelling.model().producer(value);
  const Integers* last = spelling.dims(value);
  if (node == nullptr || last == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < last->size(); ++i)
    found.order.push_back(static_cast<std::int64_t>(i));
  if (isOp(*node, "Transpose") && hasInput(*node, 0)) {
    const auto order = intsAttribute(*node, "perm");
    if (!order || order->size() != last->size()) return std::nullopt;
    found.turn = node;
    found.order = *order;
    node = spelling.model().producer(node->input(0));
  }
  if (node == nullptr || !isOp(*node, "Reshape") || !hasInput(*node, 1)) return std::nullopt;
  found.split = node;
  found.product = node->input(0);
  found.dims.resize(last->size());
  for (std::size_t i = 0; i < last->size(); ++i) {
    if (found.order[i] < 0 || found.order[i] >= static_cast<std::int64_t>(last->size()))
      return std::nullopt;
    found.dims[static_cast<std::size_t>(found.order[i])] = (*last)[i];
  }
  return found;
}

}  // namespace

// Moves a bias of heads from after the split of rows into heads to before it, as in a linear layer.
bool lowerHeadBias(Spelling& spelling) {
  const Node& node = spelling.node();
  for (int at = 0; node.input_size() == 2 && at < 2; ++at) {
    const auto bias = spelling.model().constant(node.input(1 - at));
    const auto rows = bias ? splitRows(spelling, node.input(at)) : std::nullopt;
    if (!rows || !bias->isFloating()) continue;
    const Node* product = spelling.model().producer(rows->product);
    const auto weight = product != nullptr && isOp(*product, "MatMul") && hasInput(*product, 1)
                            ? spelling.model().constant(product->input(1))
                            : std::nullopt;
    const std::size_t rank = rows->dims.size();
    if (!weight || weight->dims().size() != 2 || rank < 3 || bias->dims().size() > rank) continue;
    const std::int64_t heads = rows->dims[rank - 2], width = rows->dims[rank - 1];
    if (heads < 1 || width < 1 || times(heads, width) != weight->dims()[1]) continue;
    Integers dims(rank - bias->dims().size(), 1), steps(rank, 0);  // steps: by the split's axes
    for (const std::int64_t dim : bias->dims()) dims.push_back(dim);
    bool fits = true;
    std::int64_t step = 1;
    for (std::size_t i = rank; i-- > 0; step *= dims[i]) {
      const auto axis = static_cast<std::size_t>(rows->order[i]);
      if (dims[i] == 1) continue;
      fits = fits && axis + 2 >= rank && dims[i] == rows->dims[axis];
      steps[axis] = step;
    }
    if (!fits) continue;
    const Floats values = bias->floats();
    std::vector<float> flat;
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < width; ++i)
        flat.push_back(values[static_cast<std::size_t>(h * steps[rank - 2] + i * steps[rank - 1])]);
    }
    const std::string sum =
        spelling.add("Add", {rows->product, spelling.floats({heads * width}, flat)});
    const bool turns = rows->turn != nullptr;
    const std::string split = spelling.add("Reshape", {sum, rows->split->input(1)},
                                           turns ? std::string() : node.output(0));
    *spelling.last().mutable_attribute() = rows->split->attribute();
    if (turns) spellTranspose(spelling, split, rows->order, node.output(0));
    return true;
  }
  return false;
}

}  // namespace mpm::onnx
