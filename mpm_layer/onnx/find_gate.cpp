// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/find.h"
#include "onnx/operands.h"
#include "onnx/shape_call.h"

namespace mpm::onnx {
namespace {

// What each head's weights count for, by a number for all, or [(1 x) heads x 1 x 1].
std::optional<std::vector<float>> byHead(const Facts& facts, const std::string& value,
                                         std::size_t heads) {
  const Known* known = facts.values.content(value);
  if (known == nullptr || !known->isFloat() || !known->isSure()) return std::nullopt;
  if (known->count() == 1) return std::vector<float>(heads, known->floats[0]);
  Integers dims = known->dims;
  while (dims.size() > 3 && dims.front() == 1) dims.erase(dims.begin());
  if (dims != Integers{static_cast<std::int64_t>(heads), 1, 1}) return std::nullopt;
  return known->floats;
}

// The sum that weights are divided by the sums of its rows, or are themselves.
std::string behindRowSums(const Facts& facts, const std::string& weights,
                          std::vector<const Node*>& nodes) {
  const Node* quotient = madeBy(facts.model, weights, "Div", 2);
  if (quotient == nullptr) return weights;
  const Node* spread = facts.model.producer(quotient->input(1));
  if (spread != nullptr && !isOp(*spread, "Unsqueeze")) spread = nullptr;
  const Node* sum = facts.model.producer(spread != nullptr ? spread->input(0) : quotient->input(1));
  const Integers *dims = facts.values.dims(weights), *sums = facts.values.dims(quotient->input(1));
  if (sum == nullptr || !isOp(*sum, "ReduceSum") || sum->input(0) != quotient->input(0) ||
      dims == nullptr || sums == nullptr || dims->size() != sums->size() || sums->back() != 1)
    return weights;
  const auto axes = callOf(facts, *sum).list("axes", 1);
  if (!axes || axes->size() != 1 || axisOf(axes->front(), dims->size()) != dims->size() - 1)
    return weights;
  nodes.insert(nodes.end(), {quotient, sum});
  if (spread != nullptr) nodes.push_back(spread);
  return quotient->input(0);
}

// Of known weights [B, heads, rows, rows], the same for every image, what each head's rows sum to,
// and the logarithms; false where they are nothing of the kind.
bool readPlaces(const Known& known, const Integers& dims, FoundGate& found) {
  const auto heads = static_cast<std::size_t>(dims[1]), rows = static_cast<std::size_t>(dims[2]);
  const std::size_t image = heads * rows * rows;
  if (!known.isFloat() || !known.isSure() || image == 0 || known.count() % image != 0) return false;
  const float* const from = known.floats.data();
  for (std::size_t i = image; i < known.count(); ++i) {
    if (from[i] != from[i - image]) return false;
  }
  auto scores = std::make_shared<std::vector<float>>(image);
  constexpr float kTolerance = 1e-4F;
  // Of a place that is too far away to have a weight: a score of -87, which has none either.
  constexpr float kLeast = std::numeric_limits<float>::min();
  for (std::size_t row = 0; row < heads * rows; ++row) {
    float sum = 0;
    for (std::size_t i = row * rows; i < (row + 1) * rows; ++i) {
      if (!std::isfinite(from[i]) || from[i] < 0) return false;
      sum += from[i];
      (*scores)[i] = std::log(std::max(from[i], kLeast));
    }
    if (row % rows == 0) found.shares.push_back(sum);
    if (!(std::abs(sum - found.shares.back()) <= kTolerance * sum)) return false;
  }
  found.places = std::move(scores);
  return true;
}

}  // namespace

std::optional<FoundGate> findGate(const Facts& facts, const std::string& weights) {
  FoundGate found;
  const std::string value = behindRowSums(facts, weights, found.nodes);
  const Node* sum = madeBy(facts.model, value, "Add", 2);
  const Integers* dims = facts.values.dims(value);
  if (sum == nullptr || dims == nullptr || dims->size() != 4 || (*dims)[2] != (*dims)[3])
    return std::nullopt;
  const auto heads = static_cast<std::size_t>(std::max<std::int64_t>((*dims)[1], 0));
  for (int i = 0; i < 2; ++i) {
    const Node* product = madeBy(facts.model, sum->input(i), "Mul", 2);
    const Known* known = facts.values.content(sum->input(1 - i));
    if (product == nullptr || known == nullptr) continue;
    for (int k = 0; k < 2; ++k) {
      const auto shares = byHead(facts, product->input(k), heads);
      FoundGate ofPlaces = found;
      if (!shares || !readPlaces(*known, *dims, ofPlaces)) continue;
      found = std::move(ofPlaces);
      found.softmax = product->input(1 - k);
      found.shares.insert(found.shares.begin(), shares->begin(), shares->end());
      for (std::size_t h = 0; h < heads && value != weights; ++h) {
        const float all = found.shares[h] + found.shares[heads + h];
        found.shares[h] /= all;
        found.shares[heads + h] /= all;
      }
      found.nodes.insert(found.nodes.end(), {sum, product});
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace mpm::onnx
