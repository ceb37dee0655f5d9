// SPDX-License-Identifier: Apache-2.0
// Decomposed relative positions on a grid: q . down[y - y'] + q . across[x - x'].

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

// Returns the number of elements; -1 if it is unknown or too large.
std::int64_t countOf(const Integers& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return -1;
  }
  return count;
}

// Walks back through nodes that only change dims.
std::string behindReshapes(const AnalysedModel& analysed, std::string value,
                           std::vector<const Node*>& nodes) {
  constexpr int kDeepest = 8;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const Node* node = analysed.model.producer(value);
    if (node == nullptr || node->input_size() < 1 ||
        !(isAny(*node, {"Reshape", "Squeeze", "Unsqueeze", "Flatten"}) ||
          isPassing(analysed, *node)))
      break;
    nodes.push_back(node);
    value = node->input(0);
  }
  return value;
}

// Terms of similarities in any dims: values of their size, and values broadcast along some axes.
struct Sum {
  struct Spread {
    std::string value;
    Integers to;  // the dims to which it is spread
  };
  std::vector<std::string> whole;
  std::vector<Spread> spread;
  std::vector<const Node*> nodes;
};

void addTerms(const AnalysedModel& analysed, const std::string& value, Sum& sum, int depth = 0) {
  constexpr int kDeepest = 4;
  std::vector<const Node*> nodes;
  const std::string at = behindReshapes(analysed, value, nodes);
  const Node* add = depth < kDeepest ? madeBy(analysed.model, at, "Add", 2) : nullptr;
  const Integers* to = analysed.values.dims(at);
  const Integers* of[] = {nullptr, nullptr};
  for (int i = 0; add != nullptr && i < 2; ++i) of[i] = analysed.values.dims(add->input(i));
  sum.nodes.insert(sum.nodes.end(), nodes.begin(), nodes.end());
  if (add == nullptr || to == nullptr || of[0] == nullptr || of[1] == nullptr || countOf(*to) < 1) {
    sum.whole.push_back(at);
    return;
  }
  sum.nodes.push_back(add);
  for (int i = 0; i < 2; ++i) {
    if (countOf(*of[i]) == countOf(*to)) {
      addTerms(analysed, add->input(i), sum, depth + 1);
    } else {
      sum.spread.push_back({add->input(i), *to});
    }
  }
}

// One of the two directions: a constant [places, places, d] and the queries [.., H, W, d] that it
// is multiplied with.
struct Met {
  bool isDown = false;
  std::string queries, constant;
};

// Matches the equation bhwc,hkc->bhwk or bhwc,wkc->bhwk, also with more axes, as in bnhwc.
std::optional<Met> metByEquation(const AnalysedModel& analysed, const Node& node) {
  const Integers *left = analysed.values.dims(node.input(0)),
                 *right = analysed.values.dims(node.input(1));
  if (left == nullptr || right == nullptr) return std::nullopt;
  const auto equation = readEquation(node, {left->size(), right->size()});
  if (!equation) return std::nullopt;
  for (const std::size_t table : {1U, 0U}) {
    const std::string &of = equation->operands[table], &q = equation->operands[1 - table];
    const std::size_t rank = q.size();
    if (of.size() != 3 || rank < 4 || of[2] != q[rank - 1]) continue;
    std::string result = q;
    result.back() = of[1];
    const bool isDown = of[0] == q[rank - 3];
    if (equation->result != result || q.find(of[1]) != std::string::npos ||
        (!isDown && of[0] != q[rank - 2]))
      continue;
    return Met{isDown, node.input(static_cast<int>(1 - table)),
               node.input(static_cast<int>(table))};
  }
  return std::nullopt;
}

// Returns [2 n - 1, d] from [n, n, d] if vectors depend only on the difference of the first two
// indices; else empty.
std::vector<float> byDistance(const AnalysedModel& analysed, const std::string& constant,
                              std::int64_t d) {
  const std::optional<Tensor> tensor = analysed.model.constant(constant);
  if (!tensor || !tensor->isFloating() || tensor->dims().size() != 3 ||
      tensor->dims()[0] != tensor->dims()[1] || tensor->dims()[2] != d)
    return {};
  const Floats values = tensor->floats();
  const std::int64_t n = tensor->dims()[0];
  std::vector<float> table(static_cast<std::size_t>((2 * n - 1) * d));
  const auto vectorOf = [&](std::int64_t query, std::int64_t key) {
    return values.data() + (query * n + key) * d;
  };
  for (std::int64_t at = 0; at < 2 * n - 1; ++at) {
    const std::int64_t distance = at - (n - 1);
    std::copy_n(vectorOf(std::max<std::int64_t>(distance, 0), std::max<std::int64_t>(-distance, 0)),
                d, table.begin() + at * d);
  }
  for (std::int64_t query = 0; query < n; ++query) {
    for (std::int64_t key = 0; key < n; ++key) {
      const float *own = vectorOf(query, key), *first = table.data() + (query - key + n - 1) * d;
      const auto isNear = [](float a, float b) {
        return std::abs(a - b) <= 1e-6F * std::max(1.0F, std::abs(a));  // false of NaN
      };
      if (!std::equal(own, own + d, first, isNear)) return {};
    }
  }
  return table;
}

// Finds the direction of a broadcast term. Its last four dims are those of queries and keys.
std::optional<Met> metBy(const AnalysedModel& analysed, const Sum::Spread& term,
                         std::vector<const Node*>& nodes) {
  const std::string product = behindReshapes(analysed, term.value, nodes);
  const Node* einsum = madeBy(analysed.model, product, "Einsum", 2);
  const Integers* dims = analysed.values.dims(term.value);
  const std::optional<Met> met =
      einsum != nullptr ? metByEquation(analysed, *einsum) : std::nullopt;
  const std::size_t rank = term.to.size();
  if (!met || dims == nullptr || dims->size() != rank || rank < 5) return std::nullopt;
  Integers expected = term.to;
  expected[met->isDown ? rank - 1 : rank - 2] = 1;
  if (*dims != expected || term.to[rank - 4] != term.to[rank - 2] ||
      term.to[rank - 3] != term.to[rank - 1])
    return std::nullopt;
  Integers queries(term.to.begin(), term.to.end() - 2);  // [.., H, W, d]
  const Integers* own = analysed.values.dims(met->queries);
  if (own == nullptr || own->empty()) return std::nullopt;
  queries.push_back(own->back());
  if (*own != queries) return std::nullopt;
  nodes.push_back(einsum);
  return met;
}

// Returns the queries of a product or a term as [B, H, N, d], with joined runs.
std::optional<View> queriesOf(const AnalysedModel& analysed, const std::string& value,
                              std::int64_t batch, const FoundAttention& found, std::int64_t rows) {
  std::optional<View> view = viewOf(analysed, value);
  if (!view || !view->reshape({batch, found.heads, rows, found.headDim})) return std::nullopt;
  for (std::vector<Run>& axis : view->axes) {
    const std::optional<Run> run = joined(axis);
    if (run) axis = run->size > 1 ? std::vector<Run>{*run} : std::vector<Run>{};
  }
  return view;
}

}  // namespace

std::string behindDistances(const AnalysedModel& analysed, const std::string& similarity,
                            float factor, FoundAttention& found) {
  Sum sum;
  addTerms(analysed, similarity, sum);
  if (sum.whole.size() != 1 || sum.spread.size() != 2 || sum.spread[0].to != sum.spread[1].to)
    return similarity;
  FoundDistances distances;
  for (const Sum::Spread& term : sum.spread) {
    const std::optional<Met> met = metBy(analysed, term, sum.nodes);
    if (!met) return similarity;
    FoundDistances::Direction& way = met->isDown ? distances.down : distances.across;
    if (!way.queries.empty()) return similarity;  // twice the same
    way = {met->queries, met->constant, {}};
  }
  const Integers& to = sum.spread[0].to;
  distances.height = to.end()[-2];
  distances.width = to.end()[-1];
  distances.scale = factor;
  found.nodes.insert(found.nodes.end(), sum.nodes.begin(), sum.nodes.end());
  found.distances = std::move(distances);
  return sum.whole.front();
}

std::string readDistances(const AnalysedModel& analysed, const std::string& queries,
                          std::int64_t batch, FoundAttention& found) {
  FoundDistances& distances = *found.distances;
  if (!found.bias.empty() || found.q.norm || found.q.rotary || !found.headScales.empty() ||
      found.rowsFirst.value_or(false))
    return "relative positions of queries that are normalised or turned, or beside a bias";
  const std::int64_t rows = distances.height * distances.width;
  const std::optional<View> own = queriesOf(analysed, queries, batch, found, rows);
  for (FoundDistances::Direction* way : {&distances.down, &distances.across}) {
    const std::optional<View> met = queriesOf(analysed, way->queries, batch, found, rows);
    if (!own || !met || own->base != met->base || own->offset != met->offset ||
        own->axes != met->axes)
      return "relative positions that are not made from its queries";
    way->table = byDistance(analysed, way->constant, found.headDim);
    const float factor = distances.scale * met->factor;
    for (float& value : way->table) value *= factor;
    const std::int64_t places = way == &distances.down ? distances.height : distances.width;
    if (static_cast<std::int64_t>(way->table.size()) != (2 * places - 1) * found.headDim)
      return "relative positions that are not known, or depend on more than distances";
  }
  return {};
}

namespace {

// Finds a linear layer without a bias.
std::optional<FoundLinear> findPlainLinear(const AnalysedModel& analysed, const std::string& value,
                                           std::vector<const Node*>& nodes) {
  std::optional<FoundLinear> linear =
      findLinear(analysed.model, behindRowViews(analysed, value, &nodes));
  if (!linear || !linear->bias.empty()) return {};
  nodes.insert(nodes.end(), linear->nodes.begin(), linear->nodes.end());
  linear->input = behindRowViews(analysed, linear->input, &nodes);
  return linear;
}

// Finds row / |row| of a linear layer's rows.
std::optional<FoundLinear> findUnitLinear(const AnalysedModel& analysed, const std::string& value,
                                          std::vector<const Node*>& nodes) {
  const std::optional<FoundNormalize> unit = findUnit(analysed, value);
  if (!unit) return {};
  nodes.insert(nodes.end(), unit->nodes.begin(), unit->nodes.end());
  return findPlainLinear(analysed, unit->input, nodes);
}

}  // namespace

std::optional<FoundMaskHead> findMaskHead(const AnalysedModel& analysed, const std::string& value) {
  const std::optional<FoundNormalize> norm = findNormalize(analysed, value);
  if (!norm) return {};
  FoundMaskHead found;
  found.norm = *norm;
  found.nodes = norm->nodes;
  const Node* product = madeBy(analysed.model, norm->input, "MatMul", 2);
  if (product == nullptr) return {};
  const Node* turn = madeBy(analysed.model, product->input(1), "Transpose", 1);
  if (turn == nullptr || intsAttribute(*turn, "perm") != Integers{0, 2, 1}) return {};
  found.nodes.insert(found.nodes.end(), {product, turn});
  const auto patches = findUnitLinear(analysed, product->input(0), found.nodes);
  const auto classes = findUnitLinear(analysed, turn->input(0), found.nodes);
  if (!patches || !classes) return {};
  found.patches = patches->input;
  found.classes = classes->input;
  found.projPatch = *patches;
  found.projClasses = *classes;
  return found;
}

}  // namespace mpm::onnx
