// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/find.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

bool areOfOneLayer(const FoundProjection& a, const FoundProjection& b) {
  return a.linear.input == b.linear.input && a.linear.weight == b.linear.weight &&
         a.linear.outByIn == b.linear.outByIn && a.linear.bias == b.linear.bias;
}

// Whether these are heads of one attention.
bool areOfOne(const FoundAttention& a, const FoundAttention& b) {
  return a.isPlain() && b.isPlain() && a.input == b.input && a.headDim == b.headDim &&
         std::isfinite(b.scale / a.scale) && a.rowsFirst == b.rowsFirst &&
         a.swapsResult == b.swapsResult && areOfOneLayer(a.q, b.q) && areOfOneLayer(a.k, b.k) &&
         areOfOneLayer(a.v, b.v);
}

template <class Items>
void append(Items& to, const Items& items) {
  to.insert(to.end(), items.begin(), items.end());
}

// Numbers for each feature, or none: those of more features.
void append(std::vector<float>& numbers, std::size_t features, std::vector<float> more,
            std::size_t moreFeatures, float none) {
  if (numbers.empty() && more.empty()) return;
  if (numbers.empty()) numbers.assign(features, none);
  if (more.empty()) more.assign(moreFeatures, none);
  append(numbers, more);
}

void add(const FoundProjection& part, FoundProjection& all) {
  const std::size_t before = all.features.size(), more = part.features.size();
  append(all.scale, before, part.scale, more, 1);
  append(all.shift, before, part.shift, more, 0);
  append(all.features, part.features);
}

// A head whose scores are scaled otherwise has queries that are.
void scaleQueries(FoundProjection& q, float factor) {
  if (factor == 1) return;
  if (q.scale.empty()) q.scale.assign(q.features.size(), 1);
  for (std::vector<float>* numbers : {&q.scale, &q.shift}) {
    for (float& each : *numbers) each *= factor;
  }
}

void add(FoundAttention part, FoundAttention& all) {
  scaleQueries(part.q, part.scale / all.scale);
  all.heads += part.heads;
  add(part.q, all.q);
  add(part.k, all.k);
  add(part.v, all.v);
  append(all.nodes, part.nodes);
}

}  // namespace

const Node* featureConcat(const Facts& facts, const std::string& rows) {
  const Node* node = facts.model.producer(rows);
  const Integers* dims = facts.values.dims(rows);
  if (node == nullptr || dims == nullptr || !isOp(*node, "Concat") || node->input_size() < 2)
    return nullptr;
  const auto axis = axisOf(intAttribute(*node, "axis").value_or(0), dims->size());
  return axis && *axis + 1 == dims->size() ? node : nullptr;
}

Finding<FoundAttention> findAttention(const Facts& facts, const std::string& value,
                                      std::int64_t batch) {
  using Attempt = Finding<FoundAttention>;
  Attempt together = findHeads(facts, value, batch);
  if (together.found || !together.obstacle.empty()) return together;
  std::vector<const Node*> nodes;
  const Node* concat = featureConcat(facts, behindRowViews(facts, value, &nodes));
  if (concat == nullptr) return {};
  std::optional<FoundAttention> all;
  for (const std::string& input : concat->input()) {
    Attempt part = findHeads(facts, input, batch);
    if (!part.found) return part;
    if (!all) {
      all = std::move(part.found);
    } else if (!areOfOne(*all, *part.found)) {
      return Attempt::blocked("heads that are computed separately, and not alike", concat);
    } else {
      add(std::move(*part.found), *all);
    }
  }
  nodes.push_back(concat);
  append(all->nodes, nodes);
  all->mix = concat;
  return {std::move(all), {}, nullptr};
}

}  // namespace mpm::onnx
