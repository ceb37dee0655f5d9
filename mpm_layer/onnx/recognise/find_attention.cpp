// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/find.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/attention_rows.h"
#include "onnx/recognise/operands.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

// Whether all elements are there in the order of the base, with the same last axis.
bool keepsRows(const View& view, const Integers& base) {
  const Integers dims = view.dims();
  const auto strides = view.strides();
  if (!strides || dims.empty() || base.empty() || dims.back() != base.back()) return false;
  std::int64_t step = 1, count = 1;
  for (std::size_t i = dims.size(); i-- > 0; step *= dims[i]) {
    if (dims[i] != 1 && (*strides)[i] != step) return false;
  }
  for (const std::int64_t dim : base) count *= dim;
  return step == count;
}

}  // namespace

std::string behindScalars(const Facts& facts, const std::string& value, float& factor,
                          std::vector<const Node*>& nodes, bool mayJoin) {
  const std::optional<View> view = viewOf(facts, value);
  if (!view || view->offset != 0) return value;
  const Integers& base = *facts.values.dims(view->base);
  if (view->axes != denseView(view->base, base).axes && !(mayJoin && keepsRows(*view, base)))
    return value;
  factor *= view->factor;
  nodes.insert(nodes.end(), view->nodes.begin(), view->nodes.end());
  return view->base;
}

namespace {

using Attempt = Finding<FoundAttention>;

constexpr const char* kScaled = "its similarities are scaled by more than one number";

// PyTorch's exporter writes 0 where a row of the softmax is not a number. It never is without a
// mask, so this passes its input on.
std::string behindSafety(const Facts& facts, const std::string& value,
                         std::vector<const Node*>& nodes) {
  const Node* where = madeBy(facts.model, value, "Where", 3);
  if (where == nullptr) return value;
  const Node* test = madeBy(facts.model, where->input(0), "IsNaN", 1);
  if (test == nullptr || test->input(0) != where->input(2)) return value;
  nodes.push_back(where);
  nodes.push_back(test);
  return where->input(2);
}

// Behind a difference with one number for each row, its largest, which a softmax does not notice:
// how half precision is kept from overflowing.
std::string behindLargest(const Facts& facts, const std::string& value,
                          std::vector<const Node*>& nodes) {
  const Node* less = madeBy(facts.model, value, "Sub", 2);
  if (less == nullptr) return value;
  const Node* spread = facts.model.producer(less->input(1));
  if (spread != nullptr && !isOp(*spread, "Unsqueeze")) spread = nullptr;
  const Node* largest = facts.model.producer(spread != nullptr ? spread->input(0) : less->input(1));
  const Integers *dims = facts.values.dims(value), *shift = facts.values.dims(less->input(1));
  const bool isByRow = dims != nullptr && shift != nullptr && dims->size() == shift->size() &&
                       !shift->empty() && shift->back() == 1;
  if (!isByRow || largest == nullptr || !isOp(*largest, "ReduceMax") ||
      largest->input(0) != less->input(0))
    return value;
  nodes.insert(nodes.end(), {less, largest});
  if (spread != nullptr) nodes.push_back(spread);
  return less->input(0);
}

const Node* softmaxBehind(const Facts& facts, const std::string& value,
                          std::vector<const Node*>& nodes) {
  float factor = 1;
  std::string at = behindScalars(facts, value, factor, nodes);
  at = behindScalars(facts, behindSafety(facts, at, nodes), factor, nodes);
  const Node* softmax = madeBy(facts.model, at, "Softmax", 1);
  const Integers* dims = facts.values.dims(at);
  if (softmax == nullptr || factor != 1 || dims == nullptr) return nullptr;
  const std::int64_t otherwise = facts.model.opset() < 13 ? 1 : -1;
  const auto axis = axisOf(intAttribute(*softmax, "axis").value_or(otherwise), dims->size());
  if (!axis || *axis + 1 != dims->size()) return nullptr;
  nodes.push_back(softmax);
  return softmax;
}

// Of similarities [.., heads, rows, rows], behind a product with a number for each head.
std::string behindHeadScales(const Facts& facts, const std::string& value, FoundAttention& found) {
  const std::optional<Operands> product = constantOperand(facts.model, value, "Mul");
  const Integers* dims = facts.values.dims(value);
  if (!product || dims == nullptr || dims->size() != 4) return value;
  const Tensor tensor = *facts.model.constant(product->constant);
  Integers own = tensor.dims();
  while (own.size() > 3 && own.front() == 1) own.erase(own.begin());
  if (!tensor.isFloating() || own != Integers{(*dims)[1], 1, 1}) return value;
  const Floats factors = tensor.floats();
  found.headScales.assign(factors.begin(), factors.end());
  found.nodes.push_back(facts.model.producer(value));
  return product->value;
}

// Scores that are scaled by head are those of queries that are. What is added for distances is made
// of the queries as well, and not scaled.
bool scaleQueries(FoundAttention& found) {
  if (found.headScales.empty()) return true;
  std::vector<float>& scale = found.q.scale;
  const auto d = static_cast<std::size_t>(found.headDim);
  if (found.distances || found.headScales.size() * d != found.q.features.size()) return false;
  if (scale.empty()) scale.assign(found.q.features.size(), 1);
  for (std::size_t i = 0; i < scale.size(); ++i) scale[i] *= found.headScales[i / d];
  for (std::size_t i = 0; i < found.q.shift.size(); ++i)
    found.q.shift[i] *= found.headScales[i / d];
  return true;
}

// Of a product [B, H, N, d], whose heads may be several axes, or [B H, N, d]; or with heads first.
std::optional<std::int64_t> headsOf(const Integers& dims, std::int64_t batch, bool headsFirst) {
  if (dims.size() < 3) return std::nullopt;
  const std::size_t images = headsFirst ? dims.size() - 3 : 0;
  if (dims[images] % batch != 0) return std::nullopt;
  std::int64_t heads = dims[images] / batch;
  if (dims.size() > 3 && heads != 1) return std::nullopt;
  for (std::size_t i = 0; i + 2 < dims.size(); ++i) {
    if (i != images && __builtin_mul_overflow(heads, dims[i], &heads)) return std::nullopt;
  }
  return heads > 0 ? std::optional(heads) : std::nullopt;
}

// Whether nothing was found that lies head by head.
bool mayHaveHeadsFirst(const FoundAttention& found) {
  return found.headScales.empty() && found.bias.empty() && !found.distances;
}

// Whether a layer that does the same to q and k does what was found.
bool areAlike(const FoundProjection& q, const FoundProjection& k) {
  if (q.norm.has_value() != k.norm.has_value() || q.joint.empty() != k.joint.empty() ||
      q.rotary.has_value() != k.rotary.has_value())
    return false;
  if (q.norm && (q.norm->isCentred != k.norm->isCentred || q.norm->eps != k.norm->eps))
    return false;
  const auto isNear = [](float a, float b) { return std::abs(a - b) <= 1e-6F; };
  const auto areNear = [&](const std::vector<float>& a, const std::vector<float>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), isNear);
  };
  return !q.rotary ||
         (q.rotary->pair == k.rotary->pair && q.rotary->heads == k.rotary->heads &&
          areNear(q.rotary->own, k.rotary->own) && areNear(q.rotary->other, k.rotary->other));
}

// Where what v is multiplied with is no softmax but made of one: what else that is; empty where it
// is nothing of the kind.
std::string whyNotSoftmax(const Facts& facts, const std::string& weights) {
  constexpr std::size_t kMost = 24;
  const Integers* dims = facts.values.dims(weights);
  if (dims == nullptr || dims->size() < 3 || dims->end()[-1] != dims->end()[-2]) return {};
  bool mixesHeads = false, isMore = false;
  std::vector<std::string> waiting{weights};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const Node* node = facts.model.producer(waiting[i]);
    if (node == nullptr) continue;
    if (isOp(*node, "Softmax") && !isMore) return {};
    if (isOp(*node, "Softmax"))
      return mixesHeads ? "attention weights that heads mix with each other's (talking heads)"
                        : "attention weights that are more than one softmax";
    const bool mixes = isAny(*node, {"MatMul", "Gemm", "Conv", "Einsum"});
    if (mixes && (node->input_size() < 2 || !facts.model.constant(node->input(1)))) return {};
    mixesHeads = mixesHeads || mixes;
    isMore = isMore || !isAny(*node, {"Reshape", "Transpose"});
    if (!mixes && !isAny(*node, {"Add", "Mul", "Div", "Reshape", "Transpose"})) continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && !facts.model.constant(input)) waiting.push_back(input);
    }
  }
  return {};
}

// What attention gives may be multiplied, head by head, with what else its tokens make.
Attempt whyGated(const Facts& facts, const std::string& value) {
  const Node* product = madeBy(facts.model, value, "Mul", 2);
  for (int i = 0; product != nullptr && i < 2; ++i) {
    const Node* mix = madeBy(facts.model, product->input(i), "MatMul", 2);
    std::vector<const Node*> nodes;
    if (mix != nullptr && softmaxBehind(facts, mix->input(0), nodes) != nullptr)
      return Attempt::blocked("its result is multiplied with a gate before heads are joined",
                              product);
  }
  return {};
}

// Behind what stands between a softmax and the product of q and k, in the order in which exporters
// and people write it.
std::string behindSimilarities(const Facts& facts, const std::string& scores,
                               FoundAttention& found) {
  std::string at = behindScalars(facts, scores, found.scale, found.nodes);
  at = behindLargest(facts, at, found.nodes);
  at = behindScalars(facts, at, found.scale, found.nodes);
  at = behindEmptyMask(facts, at, found.nodes);
  at = behindScalars(facts, at, found.scale, found.nodes);
  at = behindDistances(facts, at, found.scale, found);
  at = behindBias(facts, at, found.scale, found);
  at = behindScalars(facts, at, found.scale, found.nodes);
  at = behindHeadScales(facts, at, found);
  return behindScalars(facts, at, found.scale, found.nodes);
}

Attempt whyNoProduct(const Facts& facts, const std::string& similarity) {
  const Node* node = facts.model.producer(similarity);
  if (node != nullptr && isOp(*node, "Add"))
    return Attempt::blocked("a bias of its similarities that is not a constant", node);
  const auto scaled = constantOperand(facts.model, similarity, "Mul");
  const bool isScaled = scaled && !scalarConstant(facts.model, scaled->constant);
  return Attempt::blocked(isScaled ? kScaled : "its similarities are not a product of q and k",
                          node);
}

// The two products of an attention whose softmax was found, and what has to hold of them. Each step
// fills `found`, or says what is in the way.
struct Products {
  using Obstacle = std::optional<Attempt>;

  const Facts& facts;
  std::int64_t batch;
  const Node* mix;      // of the weights and v
  const Node* product;  // of q and k
  Integers dims;        // of the mix

  std::int64_t rows() const { return dims.end()[-2]; }

  // With heads as `found` says they stand; `places` are those of the mix in `value`.
  Attempt take(FoundAttention found, const View& places, const std::string& value) const {
    if (auto obstacle = takeHeads(found)) return *obstacle;
    if (auto obstacle = takeProjections(found)) return *obstacle;
    if (auto obstacle = takePlaces(found)) return *obstacle;
    if (!areHeadsSideBySide(facts, places, batch, found, value))
      return Attempt::blocked("the layout of its result is not understood", mix);
    return {found, {}, nullptr};
  }

  Obstacle takeHeads(FoundAttention& found) const {
    if (dims.size() > 4 && rows() == 1) return Attempt::blocked(kRowByRow, mix);
    const auto heads = headsOf(dims, batch, found.headsFirst);
    if (!heads) {
      const std::string others = whyOtherRows(facts, product->output(0), rows(), batch);
      return Attempt::blocked(others.empty() ? "its layout is not understood" : others, mix);
    }
    found.heads = *heads;
    return std::nullopt;
  }

  Obstacle takeProjections(FoundAttention& found) const {
    const Integers lead(dims.begin(), dims.end() - 2);
    const Node* where = nullptr;
    const std::pair<AttentionFactor, FoundProjection*> factors[] = {
        {{product->input(0), lead}, &found.q},
        {{product->input(1), lead, true}, &found.k},
        {{mix->input(1), lead, false, true}, &found.v}};
    for (const auto& [factor, projection] : factors) {
      const std::string obstacle = findProjection(facts, factor, batch, found, *projection, &where);
      if (!obstacle.empty()) return Attempt::blocked(obstacle, where != nullptr ? where : product);
    }
    if (!scaleQueries(found)) return Attempt::blocked(kScaled, product);
    if (found.scale == 0 || !std::isfinite(found.scale))
      return Attempt::blocked("a scale of q k that is 0 or not finite", product);
    found.input = found.q.linear.input;
    if (found.k.linear.input != found.input || found.v.linear.input != found.input)
      return Attempt::blocked("q, k and v are made from different values", mix);
    if (!areAlike(found.q, found.k))
      return Attempt::blocked("q and k that are normalised or turned by their position differently",
                              mix);
    return std::nullopt;
  }

  Obstacle takePlaces(FoundAttention& found) const {
    if (!found.bias.empty() && !isBias(facts, found, rows()))
      return Attempt::blocked("an attention mask, or a bias of its similarities that is not known",
                              found.biasSum);
    if (!found.distances) return std::nullopt;
    const std::string obstacle = readDistances(facts, product->input(0), batch, found);
    if (obstacle.empty()) return std::nullopt;
    return Attempt::blocked(obstacle, product);
  }
};

}  // namespace

Finding<FoundAttention> findHeads(const Facts& facts, const std::string& value,
                                  std::int64_t batch) {
  const std::optional<View> places = placesIn(facts, value);
  if (!places || batch < 1) return {};
  FoundAttention found;
  found.nodes = places->nodes;
  const Node* mix = madeBy(facts.model, places->base, "MatMul", 2);
  if (mix == nullptr) return whyGated(facts, places->base);
  found.mix = mix;
  found.nodes.push_back(mix);
  const std::string& weights = mix->input(0);
  const Node* softmax = softmaxBehind(facts, weights, found.nodes);
  if (softmax == nullptr) {
    const std::string why = whyNotSoftmax(facts, weights);
    return why.empty() ? Attempt{} : Attempt::blocked(why, mix);
  }
  const std::string similarity = behindSimilarities(facts, softmax->input(0), found);
  const Node* product = madeBy(facts.model, similarity, "MatMul", 2);
  if (product == nullptr) return whyNoProduct(facts, similarity);
  found.nodes.push_back(product);
  const Products products{facts, batch, mix, product, places->dims()};
  Attempt attempt = products.take(found, *places, value);
  if (attempt.found || !mayHaveHeadsFirst(found)) return attempt;
  found.headsFirst = true;
  Attempt other = products.take(found, *places, value);
  return other.found ? other : attempt;
}

}  // namespace mpm::onnx
