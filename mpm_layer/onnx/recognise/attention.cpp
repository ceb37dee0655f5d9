// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

// Returns the rows of a value [.., dim] for each image; std::nullopt if they do not divide evenly.
std::optional<std::int64_t> rowsOfImage(const AnalysedModel& analysed, const std::string& value,
                                        std::int64_t batch) {
  const Integers* dims = analysed.values.dims(value);
  if (dims == nullptr || dims->size() < 2) return std::nullopt;
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < dims->size(); ++i) rows = times(rows, (*dims)[i]);
  return rows > 0 && rows % batch == 0 ? std::optional(rows / batch) : std::nullopt;
}

// Tells whether a node puts several pictures, or values made of them, into one batch.
bool joinsPictures(const AnalysedModel& analysed, const Node& node, std::int64_t batch) {
  if (!isOp(node, "Concat") || intAttribute(node, "axis").value_or(0) != 0) return false;
  const auto isOfPictures = [&](const std::string& value) {
    const Integers* dims = analysed.values.dims(value);
    return dims != nullptr && dims->size() > 2 && dims->front() % batch == 0;
  };
  return node.input_size() > 1 && isOfPictures(node.output(0)) &&
         std::all_of(node.input().begin(), node.input().end(), isOfPictures);
}

bool standsBehindSeveralPictures(const AnalysedModel& analysed, const std::string& value,
                                 std::int64_t batch) {
  const auto& nodes = analysed.model.nodes();
  const bool joinsAny = std::any_of(nodes.begin(), nodes.end(), [&](const Node* node) {
    return joinsPictures(analysed, *node, batch);
  });
  if (!joinsAny) return false;  // as in most models, of which all windows are asked
  return isAnyBehind(analysed.model, value, [&](const std::string& at) {
    const Node* node = analysed.model.producer(at);
    return node != nullptr && joinsPictures(analysed, *node, batch);
  });
}

}  // namespace

std::string whyOtherRows(const AnalysedModel& analysed, const std::string& value,
                         std::int64_t queries, std::int64_t batch) {
  constexpr std::size_t kMost = 64;
  std::string layer;  // what some layer reads
  std::vector<std::string> waiting{value};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const std::string at = waiting[i];
    if (const auto linear = findLinear(analysed.model, at)) {
      const auto rows = rowsOfImage(analysed, linear->input, batch);
      if (!rows || *rows <= queries) return {};
      layer = linear->input;
      continue;
    }
    const Node* node = analysed.model.producer(at);
    if (node == nullptr) continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && !analysed.model.constant(input)) waiting.push_back(input);
    }
  }
  if (layer.empty()) return {};
  return standsBehindSeveralPictures(analysed, layer, batch)
             ? "tokens of several pictures that share its batch"
             : "attention within windows";
}

// Terms that attention adds to q k at each pair of tokens: none, or a bias.

namespace {

// Returns the one number that a value holds everywhere, whatever the frame.
std::optional<double> uniform(const AnalysedModel& analysed, const std::string& value,
                              int depth = 0) {
  constexpr int kDeepest = 8;
  if (const KnownTensor* known = analysed.values.content(value);
      known != nullptr && known->isSure()) {
    std::optional<double> number;
    for (std::size_t i = 0; i < known->count(); ++i) {
      const double each =
          known->isFloat() ? known->floats[i] : static_cast<double>(known->integers[i]);
      if (number && *number != each) return std::nullopt;
      number = each;
    }
    return number;
  }
  const Node* node = analysed.model.producer(value);
  if (node == nullptr || depth == kDeepest) return std::nullopt;
  if (isOp(*node, "Where") && node->input_size() == 3) {
    const auto condition = uniform(analysed, node->input(0), depth + 1);
    if (!condition) return std::nullopt;
    return uniform(analysed, node->input(*condition != 0 ? 1 : 2), depth + 1);
  }
  const bool widens =
      isOp(*node, "Cast") && intAttribute(*node, "to").value_or(0) == ::onnx::TensorProto::FLOAT;
  const bool spreads =
      widens || isAny(*node, {"Expand", "Reshape", "Unsqueeze", "Transpose", "Slice", "Squeeze"});
  return spreads ? uniform(analysed, node->input(0), depth + 1) : std::nullopt;
}

// Walks back from a bias through one number that is added to all of it, such as ones from a boolean
// mask. A softmax ignores it.
std::string behindOneNumber(const AnalysedModel& analysed, const std::string& value,
                            std::vector<const Node*>& nodes) {
  constexpr double kLargest = 16;  // with a larger one scores would lose digits
  const Node* sum = madeBy(analysed.model, value, "Add", 2);
  for (int i = 0; sum != nullptr && i < 2; ++i) {
    const std::optional<double> number = uniform(analysed, sum->input(1 - i));
    if (!analysed.model.constant(sum->input(i)) || !number || !(std::abs(*number) <= kLargest))
      continue;
    nodes.push_back(sum);
    return sum->input(i);
  }
  return value;
}

}  // namespace

std::string behindEmptyMask(const AnalysedModel& analysed, const std::string& value,
                            std::vector<const Node*>& nodes) {
  const Node* sum = madeBy(analysed.model, value, "Add", 2);
  if (sum == nullptr) return value;
  for (const int mask : {1, 0}) {
    if (uniform(analysed, sum->input(mask)) != 0.0) continue;
    nodes.push_back(sum);
    return sum->input(1 - mask);
  }
  return value;
}

std::string behindBias(const AnalysedModel& analysed, const std::string& value, float factor,
                       FoundAttention& found) {
  const Node* sum = madeBy(analysed.model, value, "Add", 2);
  if (sum == nullptr) return value;
  for (const int bias : {1, 0}) {
    std::vector<const Node*> nodes;
    float scale = factor;
    std::string constant = behindScalars(analysed, sum->input(bias), scale, nodes, false);
    constant = behindOneNumber(analysed, constant, nodes);
    const Integers* dims = analysed.values.dims(constant);
    const std::optional<Tensor> tensor = analysed.model.constant(constant);
    if (!tensor || !tensor->isFloating() || dims == nullptr) continue;
    found.nodes.insert(found.nodes.end(), nodes.begin(), nodes.end());
    found.nodes.push_back(sum);
    found.bias = constant;
    found.biasScale = scale;
    found.biasSum = sum;
    return sum->input(1 - bias);
  }
  return value;
}

bool isBias(const AnalysedModel& analysed, const FoundAttention& found, std::int64_t rows) {
  const Tensor tensor = *analysed.model.constant(found.bias);
  Integers dims = tensor.dims();
  while (dims.size() > 3 && dims.front() == 1) dims.erase(dims.begin());
  while (dims.size() < 3) dims.insert(dims.begin(), 1);
  if (dims.size() != 3 || (dims[0] != 1 && dims[0] != found.heads) || dims[1] != rows ||
      dims[2] != rows)
    return false;
  const Floats values = tensor.floats();
  constexpr float kLargest = 1e4F;
  return std::all_of(values.begin(), values.end(),
                     [](float each) { return std::abs(each) < kLargest; });
}

namespace {

// Tells whether a view has all elements in the order of the base, with the same last axis.
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

std::string behindScalars(const AnalysedModel& analysed, const std::string& value, float& factor,
                          std::vector<const Node*>& nodes, bool mayJoin) {
  const std::optional<View> view = viewOf(analysed, value);
  if (!view || view->offset != 0) return value;
  const Integers& base = *analysed.values.dims(view->base);
  if (view->axes != denseView(view->base, base).axes && !(mayJoin && keepsRows(*view, base)))
    return value;
  factor *= view->factor;
  nodes.insert(nodes.end(), view->nodes.begin(), view->nodes.end());
  return view->base;
}

namespace {

using Attempt = Finding<FoundAttention>;

constexpr const char* kScaled = "its similarities are scaled by more than one number";

// Walks back through a replacement of NaN rows of the softmax by 0, which PyTorch's exporter
// writes. Without a mask there are none, so it passes its input on.
std::string behindSafety(const AnalysedModel& analysed, const std::string& value,
                         std::vector<const Node*>& nodes) {
  const Node* where = madeBy(analysed.model, value, "Where", 3);
  if (where == nullptr) return value;
  const Node* test = madeBy(analysed.model, where->input(0), "IsNaN", 1);
  if (test == nullptr || test->input(0) != where->input(2)) return value;
  nodes.push_back(where);
  nodes.push_back(test);
  return where->input(2);
}

// Walks back through a subtraction of each row's largest number, which a softmax ignores. It keeps
// half precision from overflowing.
std::string behindLargest(const AnalysedModel& analysed, const std::string& value,
                          std::vector<const Node*>& nodes) {
  const Node* less = madeBy(analysed.model, value, "Sub", 2);
  if (less == nullptr) return value;
  const Node* spread = analysed.model.producer(less->input(1));
  if (spread != nullptr && !isOp(*spread, "Unsqueeze")) spread = nullptr;
  const Node* largest =
      analysed.model.producer(spread != nullptr ? spread->input(0) : less->input(1));
  const Integers *dims = analysed.values.dims(value), *shift = analysed.values.dims(less->input(1));
  const bool isByRow = dims != nullptr && shift != nullptr && dims->size() == shift->size() &&
                       !shift->empty() && shift->back() == 1;
  if (!isByRow || largest == nullptr || !isOp(*largest, "ReduceMax") ||
      largest->input(0) != less->input(0))
    return value;
  nodes.insert(nodes.end(), {less, largest});
  if (spread != nullptr) nodes.push_back(spread);
  return less->input(0);
}

const Node* softmaxBehind(const AnalysedModel& analysed, const std::string& value,
                          std::vector<const Node*>& nodes) {
  float factor = 1;
  std::string at = behindScalars(analysed, value, factor, nodes);
  at = behindScalars(analysed, behindSafety(analysed, at, nodes), factor, nodes);
  const Node* softmax = madeBy(analysed.model, at, "Softmax", 1);
  const Integers* dims = analysed.values.dims(at);
  if (softmax == nullptr || factor != 1 || dims == nullptr) return nullptr;
  const std::int64_t otherwise = analysed.model.opset() < 13 ? 1 : -1;
  const auto axis = axisOf(intAttribute(*softmax, "axis").value_or(otherwise), dims->size());
  if (!axis || *axis + 1 != dims->size()) return nullptr;
  nodes.push_back(softmax);
  return softmax;
}

// Walks back from similarities [.., heads, rows, rows] through a number for each head.
std::string behindHeadScales(const AnalysedModel& analysed, const std::string& value,
                             FoundAttention& found) {
  const std::optional<Operands> product = constantOperand(analysed.model, value, "Mul");
  const Integers* dims = analysed.values.dims(value);
  if (!product || dims == nullptr || dims->size() != 4) return value;
  const Tensor tensor = *analysed.model.constant(product->constant);
  Integers own = tensor.dims();
  while (own.size() > 3 && own.front() == 1) own.erase(own.begin());
  if (!tensor.isFloating() || own != Integers{(*dims)[1], 1, 1}) return value;
  const Floats factors = tensor.floats();
  found.headScales.assign(factors.begin(), factors.end());
  found.nodes.push_back(analysed.model.producer(value));
  return product->value;
}

// Scales queries instead of each head's scores. Refuses terms for distances, which come from the
// queries too but are not scaled.
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

// Returns the heads of a product [B, H, N, d] or [B H, N, d]; heads may be several axes, or first.
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

// Tells whether no facts were found that are laid out by head.
bool mayHaveHeadsFirst(const FoundAttention& found) {
  return found.headScales.empty() && found.bias.empty() && !found.distances;
}

// Tells whether q and k have the same norm and rotary positions, as a layer applies to both.
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

// Says how v's factor is made of a softmax but is not one; empty if it is nothing of the kind.
std::string whyNotSoftmax(const AnalysedModel& analysed, const std::string& weights) {
  constexpr std::size_t kMost = 24;
  const Integers* dims = analysed.values.dims(weights);
  if (dims == nullptr || dims->size() < 3 || dims->end()[-1] != dims->end()[-2]) return {};
  bool mixesHeads = false, isMore = false;
  std::vector<std::string> waiting{weights};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const Node* node = analysed.model.producer(waiting[i]);
    if (node == nullptr) continue;
    if (isOp(*node, "Softmax") && !isMore) return {};
    if (isOp(*node, "Softmax"))
      return mixesHeads ? "attention weights that heads mix with each other's (talking heads)"
                        : "attention weights that are more than one softmax";
    const bool mixes = isAny(*node, {"MatMul", "Gemm", "Conv", "Einsum"});
    if (mixes && (node->input_size() < 2 || !analysed.model.constant(node->input(1)))) return {};
    mixesHeads = mixesHeads || mixes;
    isMore = isMore || !isAny(*node, {"Reshape", "Transpose"});
    if (!mixes && !isAny(*node, {"Add", "Mul", "Div", "Reshape", "Transpose"})) continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && !analysed.model.constant(input)) waiting.push_back(input);
    }
  }
  return {};
}

// Recognises a gate: attention's result times other values of its tokens, head by head.
Attempt whyGated(const AnalysedModel& analysed, const std::string& value) {
  const Node* product = madeBy(analysed.model, value, "Mul", 2);
  for (int i = 0; product != nullptr && i < 2; ++i) {
    const Node* mix = madeBy(analysed.model, product->input(i), "MatMul", 2);
    std::vector<const Node*> nodes;
    if (mix != nullptr && softmaxBehind(analysed, mix->input(0), nodes) != nullptr)
      return Attempt::blocked("its result is multiplied with a gate before heads are joined",
                              product);
  }
  return {};
}

// Walks back from a softmax to the product of q and k, in the order that exporters and people
// write.
std::string behindSimilarities(const AnalysedModel& analysed, const std::string& scores,
                               FoundAttention& found) {
  std::string at = behindScalars(analysed, scores, found.scale, found.nodes);
  at = behindLargest(analysed, at, found.nodes);
  at = behindScalars(analysed, at, found.scale, found.nodes);
  at = behindEmptyMask(analysed, at, found.nodes);
  at = behindScalars(analysed, at, found.scale, found.nodes);
  at = behindDistances(analysed, at, found.scale, found);
  at = behindBias(analysed, at, found.scale, found);
  at = behindScalars(analysed, at, found.scale, found.nodes);
  at = behindHeadScales(analysed, at, found);
  return behindScalars(analysed, at, found.scale, found.nodes);
}

Attempt whyNoProduct(const AnalysedModel& analysed, const std::string& similarity) {
  const Node* node = analysed.model.producer(similarity);
  if (node != nullptr && isOp(*node, "Add"))
    return Attempt::blocked("a bias of its similarities that is not a constant", node);
  const auto scaled = constantOperand(analysed.model, similarity, "Mul");
  const bool isScaled = scaled && !scalarConstant(analysed.model, scaled->constant);
  return Attempt::blocked(isScaled ? kScaled : "its similarities are not a product of q and k",
                          node);
}

// The two products of an attention after its softmax was found, and checks of them. Each step fills
// `found`, or returns the obstacle.
struct Products {
  using Obstacle = std::optional<Attempt>;

  const AnalysedModel& analysed;
  std::int64_t batch;
  const Node* mix;      // of the weights and v
  const Node* product;  // of q and k
  Integers dims;        // of the mix

  std::int64_t rows() const { return dims.end()[-2]; }

  // Takes heads laid out as `found` says; `places` are those of the mix in `value`.
  Attempt take(FoundAttention found, const View& places, const std::string& value) const {
    if (auto obstacle = takeHeads(found)) return *obstacle;
    if (auto obstacle = takeProjections(found)) return *obstacle;
    if (auto obstacle = takePlaces(found)) return *obstacle;
    if (!areHeadsSideBySide(analysed, places, batch, found, value))
      return Attempt::blocked("the layout of its result is not understood", mix);
    return {found, {}, nullptr};
  }

  Obstacle takeHeads(FoundAttention& found) const {
    if (dims.size() > 4 && rows() == 1) return Attempt::blocked(kRowByRow, mix);
    const auto heads = headsOf(dims, batch, found.headsFirst);
    if (!heads) {
      const std::string others = whyOtherRows(analysed, product->output(0), rows(), batch);
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
      const std::string obstacle =
          findProjection(analysed, factor, batch, found, *projection, &where);
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
    if (!found.bias.empty() && !isBias(analysed, found, rows()))
      return Attempt::blocked("an attention mask, or a bias of its similarities that is not known",
                              found.biasSum);
    if (!found.distances) return std::nullopt;
    const std::string obstacle = readDistances(analysed, product->input(0), batch, found);
    if (obstacle.empty()) return std::nullopt;
    return Attempt::blocked(obstacle, product);
  }
};

}  // namespace

Finding<FoundAttention> findHeads(const AnalysedModel& analysed, const std::string& value,
                                  std::int64_t batch) {
  const std::optional<View> places = placesIn(analysed, value);
  if (!places || batch < 1) return {};
  FoundAttention found;
  found.nodes = places->nodes;
  const Node* mix = madeBy(analysed.model, places->base, "MatMul", 2);
  if (mix == nullptr) return whyGated(analysed, places->base);
  found.mix = mix;
  found.nodes.push_back(mix);
  const std::string& weights = mix->input(0);
  const Node* softmax = softmaxBehind(analysed, weights, found.nodes);
  if (softmax == nullptr) {
    const std::string why = whyNotSoftmax(analysed, weights);
    return why.empty() ? Attempt{} : Attempt::blocked(why, mix);
  }
  const std::string similarity = behindSimilarities(analysed, softmax->input(0), found);
  const Node* product = madeBy(analysed.model, similarity, "MatMul", 2);
  if (product == nullptr) return whyNoProduct(analysed, similarity);
  found.nodes.push_back(product);
  const Products products{analysed, batch, mix, product, places->dims()};
  Attempt attempt = products.take(found, *places, value);
  if (attempt.found || !mayHaveHeadsFirst(found)) return attempt;
  found.headsFirst = true;
  Attempt other = products.take(found, *places, value);
  return other.found ? other : attempt;
}

namespace {

bool areOfOneLayer(const FoundProjection& a, const FoundProjection& b) {
  return a.linear.input == b.linear.input && a.linear.weight == b.linear.weight &&
         a.linear.outByIn == b.linear.outByIn && a.linear.bias == b.linear.bias;
}

// Tells whether these are heads of one attention.
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

// Appends numbers for more features; empty lists stand for `none` in each.
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

// Scales a head's queries instead of its scores.
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

const Node* featureConcat(const AnalysedModel& analysed, const std::string& rows) {
  const Node* node = analysed.model.producer(rows);
  const Integers* dims = analysed.values.dims(rows);
  if (node == nullptr || dims == nullptr || !isOp(*node, "Concat") || node->input_size() < 2)
    return nullptr;
  const auto axis = axisOf(intAttribute(*node, "axis").value_or(0), dims->size());
  return axis && *axis + 1 == dims->size() ? node : nullptr;
}

Finding<FoundAttention> findAttention(const AnalysedModel& analysed, const std::string& value,
                                      std::int64_t batch) {
  using Attempt = Finding<FoundAttention>;
  Attempt together = findHeads(analysed, value, batch);
  if (together.found || !together.obstacle.empty()) return together;
  std::vector<const Node*> nodes;
  const Node* concat = featureConcat(analysed, behindRowViews(analysed, value, &nodes));
  if (concat == nullptr) return {};
  std::optional<FoundAttention> all;
  for (const std::string& input : concat->input()) {
    Attempt part = findHeads(analysed, input, batch);
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
