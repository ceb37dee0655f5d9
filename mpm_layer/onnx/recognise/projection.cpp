// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

constexpr std::int64_t kMostHeadFeatures = 1 << 16;  // more than those of any layer

// Index among a value's axes of each of [B, H, N, d].
using HeadAxes = std::array<std::size_t, 4>;

// Returns the numbers of a constant, head by head; std::nullopt unless it is broadcast to a value
// and the same for all images and rows. Heads on the axis of images, [B H, N, d], share them.
std::optional<std::vector<float>> headNumbers(const Model& model, const std::string& constant,
                                              const Integers& dims, const HeadAxes& axes,
                                              std::int64_t foldedHeads) {
  const std::optional<Tensor> tensor = model.constant(constant);
  const std::size_t rank = dims.size();
  const std::int64_t headCount = rank == 4 ? dims[axes[1]] : foldedHeads;
  if (rank < 3 || rank > 4 || !tensor || !tensor->isFloating() || tensor->dims().size() > rank ||
      headCount > kMostHeadFeatures / std::max<std::int64_t>(dims.back(), 1))
    return std::nullopt;
  Integers own = tensor->dims();
  own.insert(own.begin(), rank - own.size(), 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const bool mayVary = i + 1 == rank || (rank == 4 && i == axes[1]);
    if (own[i] != 1 && !(mayVary && own[i] == dims[i])) return std::nullopt;
  }
  const auto features = static_cast<std::size_t>(own.back());
  const bool isByHead = rank == 4 && own[axes[1]] != 1;
  const std::size_t headStep = isByHead ? features : 0, step = features == 1 ? 0U : 1U;
  const auto heads = static_cast<std::size_t>(headCount), d = static_cast<std::size_t>(dims.back());
  const Floats values = tensor->floats();
  std::vector<float> numbers;
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < d; ++i) numbers.push_back(values[h * headStep + i * step]);
  }
  return numbers;
}

// Returns which axis of a value is each of the four; in [B H, N, d] the first axis is two of them.
// Returns std::nullopt if `view`, of the value's elements, has any other layout.
std::optional<HeadAxes> headAxesOf(const View& view, const Integers& dims) {
  const std::optional<Heads> heads = byHeads(view);
  const std::optional<Run> byHead = heads ? joined(heads->heads) : std::nullopt;
  if (!byHead || heads->offset != 0) return std::nullopt;
  const Run runs[] = {heads->images, *byHead, heads->rows, heads->features};
  Integers sizes = dims;
  if (dims.size() == 3) {
    if (dims[0] % std::max<std::int64_t>(byHead->size, 1) != 0) return std::nullopt;
    sizes = {dims[0] / std::max<std::int64_t>(byHead->size, 1), byHead->size, dims[1], dims[2]};
  }
  if (sizes.size() != 4) return std::nullopt;
  const View dense = denseView({}, sizes);
  HeadAxes axes{};
  std::array<bool, 4> taken{};
  for (std::size_t i = 4; i-- > 0;) {
    std::size_t axis = 4;
    for (std::size_t j = 4; j-- > 0;) {
      const Run run = *joined(dense.axes[j]);
      const bool fits = run.size == runs[i].size && (run.size == 1 || run.stride == runs[i].stride);
      if (fits && !taken[j] && axis == 4) axis = j;
    }
    if (axis == 4) return std::nullopt;
    taken[axis] = true;
    axes[i] = axis;
  }
  if (axes[3] != 3 || (dims.size() == 3 && axes != HeadAxes{0, 1, 2, 3})) return std::nullopt;
  return axes;
}

// Walks back through a product or a sum with numbers for each head and feature, or for each of one.
// They become the projection's scale and shift. Returns std::nullopt for other values.
std::optional<std::string> behindHeadVector(const AnalysedModel& analysed, const std::string& value,
                                            const Integers& dims, const HeadAxes& axes,
                                            FoundAttention& attention,
                                            FoundProjection& projection) {
  if (projection.norm) return std::nullopt;
  const std::optional<Operands> product = constantOperand(analysed.model, value, "Mul");
  const std::optional<Operands> operands =
      product ? product : constantOperand(analysed.model, value, "Add");
  if (!operands) return std::nullopt;
  const auto numbers = headNumbers(analysed.model, operands->constant, dims, axes, attention.heads);
  if (!numbers) return std::nullopt;
  std::vector<float>&scale = projection.scale, &shift = projection.shift;
  if (scale.empty()) scale.assign(numbers->size(), 1);
  if (!product && shift.empty()) shift.assign(numbers->size(), 0);
  if (scale.size() != numbers->size()) return std::nullopt;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if (product) {
      scale[i] *= (*numbers)[i];
    } else {
      shift[i] += scale[i] * (*numbers)[i];
    }
  }
  attention.nodes.push_back(analysed.model.producer(value));
  return operands->value;
}

// Tells whether positions may rotate a value: a few nodes before it something is negated, or
// products are subtracted from each other.
bool looksTurned(const Model& model, const std::string& value, int steps) {
  const Node* node = steps > 0 ? model.producer(value) : nullptr;
  if (node == nullptr || isAny(*node, {"MatMul", "Gemm", "Conv", "Softmax"})) return false;
  const auto isProduct = [&](const std::string& input) {
    const Node* maker = model.producer(input);
    return maker != nullptr && isOp(*maker, "Mul");
  };
  if (isOp(*node, "Neg")) return true;
  if (isOp(*node, "Sub") && isProduct(node->input(0)) && isProduct(node->input(1))) return true;
  return std::any_of(node->input().begin(), node->input().end(), [&](const std::string& input) {
    return looksTurned(model, input, steps - 1);
  });
}

// Tells whether a value was made from tokens, which a norm or a product shows. Otherwise it is a
// picture, or a stem of convolutions made it from one.
bool isMadeFromTokens(const AnalysedModel& analysed, const std::string& value) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> waiting{value};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const Node* node = analysed.model.producer(waiting[i]);
    if (node == nullptr) continue;
    if (isAny(*node, {"MatMul", "Gemm", "Softmax", "ReduceMean", "LayerNormalization",
                      "SimplifiedLayerNormalization", "RMSNormalization"}))
      return true;
    for (const std::string& input : node->input()) {
      if (!input.empty() && std::find(waiting.begin(), waiting.end(), input) == waiting.end())
        waiting.push_back(input);
    }
  }
  return false;
}

// Tells whether a convolution of tokens makes a value, apart from nodes that rearrange elements or
// rotate them by positions.
bool isConvolved(const AnalysedModel& analysed, const std::string& value) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> waiting{value};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const Node* node = analysed.model.producer(waiting[i]);
    if (node == nullptr) continue;
    if (isOp(*node, "Conv") && isMadeFromTokens(analysed, node->input(0))) return true;
    if (!isAny(*node, {"Concat", "Add", "Sub", "Mul", "Neg", "Reshape", "Transpose", "Slice",
                       "Split", "Gather", "Squeeze", "Unsqueeze"}))
      continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && std::find(waiting.begin(), waiting.end(), input) == waiting.end())
        waiting.push_back(input);
    }
  }
  return false;
}

const char* whatMakes(const AnalysedModel& analysed, const std::string& value) {
  const Node* node = analysed.model.producer(value);
  if (node == nullptr) return "not made by a linear layer";
  const bool joinsLayers =
      isOp(*node, "Concat") &&
      std::all_of(node->input().begin(), node->input().end(), [&](const std::string& input) {
        return findLinear(analysed.model, behindRowViews(analysed, input));
      });
  if (joinsLayers) return "not made by one linear layer";
  if (isConvolved(analysed, value)) return "made by a convolution of its tokens";
  constexpr int kSteps = 8;
  if (isAny(*node, {"Concat", "ScatterND", "Add"}) && looksTurned(analysed.model, value, kSteps))
    return "rotary positions";
  if (findNormalize(analysed, value) || findUnit(analysed, value)) return "normalised q, k or v";
  if (isAny(*node, {"Mul", "Div"})) return "q, k or v that are multiplied with other numbers";
  return "not made by a linear layer";
}

// Walks back through rotary positions, which may swap the axes of heads and rows.
std::optional<std::string> behindRotary(const AnalysedModel& analysed, const std::string& value,
                                        Integers& dims, HeadAxes& axes, FoundAttention& attention,
                                        FoundProjection& projection) {
  if (projection.rotary || projection.norm || !projection.scale.empty()) return std::nullopt;
  projection.rotary = dims.size() == 3 ? findRotary(analysed, value, 1)
                                       : findRotary(analysed, value, axes[2], axes[1]);
  if (!projection.rotary) return std::nullopt;
  const std::int64_t heads = projection.rotary->heads;
  if (heads != 1 && heads != attention.heads) return std::nullopt;
  const FoundRotary& rotary = *projection.rotary;
  if (rotary.swapsAxes) {
    std::swap(dims[1], dims[2]);
    for (std::size_t& axis : axes) axis = axis == 1 ? 2 : axis == 2 ? 1 : axis;
  }
  attention.nodes.insert(attention.nodes.end(), rotary.nodes.begin(), rotary.nodes.end());
  return rotary.input;
}

// Walks back through each head's norm, or a unit length of rows, an RMSNorm except for the width.
std::optional<std::string> behindNorm(const AnalysedModel& analysed, const std::string& value,
                                      const Integers& dims, FoundAttention& attention,
                                      FoundProjection& projection) {
  if (projection.norm || !projection.shift.empty()) return std::nullopt;
  std::vector<const Node*> nodes;
  if (const auto norm = findNormalize(analysed, value)) {
    if (!fits(analysed.model, *norm, dims.back())) return std::nullopt;
    projection.norm = norm;
    nodes = norm->nodes;
  } else if (const auto unit = findUnit(analysed, value)) {
    projection.norm = unit;
    attention.scale /= std::sqrt(static_cast<float>(dims.back()));
    nodes = unit->nodes;
  } else {
    return std::nullopt;
  }
  attention.nodes.insert(attention.nodes.end(), nodes.begin(), nodes.end());
  return projection.norm->input;
}

// Returns the dims without the axis of a single group, [B, H, N, 1, d]. Dims of other ranks stay.
Integers withoutGroups(Integers dims) {
  if (dims.size() == 5 && dims[3] == 1) dims.erase(dims.begin() + 3);
  return dims;
}

// Moves a view's base past the node that joins pairs of features, [.., d / 2, 2]; elements keep
// their places.
void joinPairs(const AnalysedModel& analysed, View& seen) {
  const Node* stack = madeBy(analysed.model, seen.base, "Concat", 2);
  const Integers* dims = analysed.values.dims(seen.base);
  if (stack == nullptr || dims == nullptr || dims->size() < 4 || dims->back() != 2) return;
  Integers wanted(dims->begin(), dims->end() - 1);
  wanted.back() *= 2;
  for (const Node* node : seen.nodes) {
    const Integers* joined = analysed.values.dims(node->output(0));
    if (!isAny(*node, {"Reshape", "Flatten"}) || node->input(0) != seen.base || joined == nullptr ||
        *joined != wanted)
      continue;
    seen.base = node->output(0);
    return;
  }
}

// Walks back through rotary positions, a norm of each head, or a product or sum with numbers for
// it, which keep the layout. `seen` then views their input. Returns false if its base comes from
// none of them. For v only numbers are allowed.
bool goBehind(const AnalysedModel& analysed, View& seen, bool isValue, FoundAttention& attention,
              FoundProjection& projection) {
  joinPairs(analysed, seen);
  const Integers& own = *analysed.values.dims(seen.base);
  Integers dims = withoutGroups(own);
  const bool isGrouped = dims != own;  // other constants would lie along other axes
  std::optional<HeadAxes> axes = headAxesOf(seen, dims);
  if (!axes) return false;
  std::optional<std::string> input;
  if (!isGrouped && !isValue)
    input = behindRotary(analysed, seen.base, dims, *axes, attention, projection);
  if (!input && !isValue) input = behindNorm(analysed, seen.base, dims, attention, projection);
  if (!input && !isGrouped)
    input = behindHeadVector(analysed, seen.base, dims, *axes, attention, projection);
  const Integers* before = input ? analysed.values.dims(*input) : nullptr;
  std::optional<View> flat = input ? viewOf(analysed, *input) : std::nullopt;
  if (before == nullptr || *before != (isGrouped ? own : dims) || !flat) return false;
  if (isGrouped && !flat->reshape(dims)) return false;
  if (projection.norm && flat->factor != 1) return false;
  if (dims.size() == 3)
    flat = asHeads(*flat, dims[0] / attention.heads, attention.heads, false, false);
  if (!flat) return false;
  View next = *flat;
  for (std::size_t i = 0; i < 4; ++i) next.axes[i] = flat->axes[(*axes)[i]];
  next.nodes = flat->nodes;
  seen = std::move(next);
  return true;
}

// Walks back through a norm of all heads' features together, before they are split.
bool goBehindJointNorm(const AnalysedModel& analysed, View& seen, FoundAttention& attention,
                       FoundProjection& projection) {
  const Integers dims = *analysed.values.dims(seen.base);
  const std::optional<Heads> heads = byHeads(seen);
  std::optional<bool> rowsFirst;
  if (!heads || dims.empty() || !areRows(*heads, dims.back(), rowsFirst)) return false;
  if (attention.heads * heads->features.size != dims.back()) return false;
  std::optional<Integers> features = featuresOf(*heads, dims.back());
  if (!features) return false;
  Integers each = *features;
  std::sort(each.begin(), each.end());
  if (std::adjacent_find(each.begin(), each.end()) != each.end()) return false;
  const auto input = behindNorm(analysed, seen.base, dims, attention, projection);
  const Integers* before = input ? analysed.values.dims(*input) : nullptr;
  const std::optional<View> rows = input ? viewOf(analysed, *input) : std::nullopt;
  if (before == nullptr || *before != dims || !rows || rows->factor != 1) return false;
  std::optional<View> next = seenThrough(seen, *rows);
  if (!next) return false;
  projection.joint = std::move(*features);
  seen = std::move(*next);
  return true;
}

// Reorders pairs of features that rotary positions rotate to (i, i + d / 2). q k stays the same if
// both have this order.
void orderPairs(std::int64_t d, FoundProjection& projection) {
  if (!projection.rotary) return;
  FoundRotary& rotary = *projection.rotary;
  Integers order;
  for (const bool isFirst : {true, false}) {
    for (std::int64_t i = 0; i < d; ++i) {
      const std::int64_t other = rotary.pair[static_cast<std::size_t>(i)];
      if (i < other) order.push_back(isFirst ? i : other);
    }
  }
  const auto count = static_cast<std::size_t>(d);
  for (std::vector<float>* table : {&rotary.own, &rotary.other}) {
    for (std::size_t row = 0; row + count <= table->size(); row += count) {
      const std::vector<float> old(table->begin() + static_cast<std::ptrdiff_t>(row),
                                   table->begin() + static_cast<std::ptrdiff_t>(row + count));
      for (std::size_t i = 0; i < count; ++i)
        (*table)[row + i] = old[static_cast<std::size_t>(order[i])];
    }
  }
  for (Integers* features : {&projection.features, &projection.joint}) {
    const Integers old = *features;
    for (std::size_t at = 0; at < old.size(); ++at)
      (*features)[at] = old[at / count * count + static_cast<std::size_t>(order[at % count])];
  }
  rotary.pair = std::move(order);
}

// Takes over a factor of all of `seen`: into q k, or into this projection if it is v or has a
// shift. Returns false if there are too many features.
bool takeFactor(const View& seen, bool isValue, FoundAttention& attention,
                FoundProjection& projection) {
  if (seen.factor == 1) return true;
  if (!isValue && projection.shift.empty()) {
    attention.scale *= seen.factor;
    return true;
  }
  const std::int64_t d = seen.dims().back();
  if (attention.heads > kMostHeadFeatures / std::max<std::int64_t>(d, 1)) return false;
  if (projection.scale.empty())
    projection.scale.assign(static_cast<std::size_t>(attention.heads * d), 1);
  for (float& each : projection.scale) each *= seen.factor;
  return true;
}

}  // namespace

std::string findProjection(const AnalysedModel& analysed, const AttentionFactor& factor,
                           std::int64_t batch, FoundAttention& attention,
                           FoundProjection& projection, const Node** where) {
  std::optional<View> flat = viewOf(analysed, factor.value);
  if (!flat || !spread(*flat, factor.lead)) return "its layout is not understood";
  *where = analysed.model.producer(flat->base);
  const auto otherRows = [&, rows = flat->dims().end()[factor.turned ? -1 : -2]] {
    const std::string others = whyOtherRows(analysed, factor.value, rows, batch);
    return others.empty() ? "its layout is not understood" : others;
  };
  std::optional<View> seen =
      asHeads(*flat, batch, attention.heads, factor.turned, attention.headsFirst);
  if (!seen)
    return findLinear(analysed.model, flat->base) ? otherRows() : whatMakes(analysed, flat->base);
  std::vector<const Node*>& nodes = attention.nodes;
  for (;;) {
    nodes.insert(nodes.end(), seen->nodes.begin(), seen->nodes.end());
    if (!takeFactor(*seen, factor.isValue, attention, projection))
      return "its layout is not understood";
    if (findLinear(analysed.model, seen->base)) break;
    if (!goBehind(analysed, *seen, factor.isValue, attention, projection) &&
        (factor.isValue || !goBehindJointNorm(analysed, *seen, attention, projection))) {
      *where = analysed.model.producer(seen->base);
      return whatMakes(analysed, seen->base);
    }
  }
  const FoundLinear linear = *findLinear(analysed.model, seen->base);
  const std::optional<Heads> view = byHeads(*seen);
  const Integers& dims = *analysed.values.dims(seen->base);
  if (!view || dims.empty()) return otherRows();
  const std::int64_t width = dims.back(), d = view->features.size;
  if (!areRows(*view, width, attention.rowsFirst)) {
    const bool areTurned = d > 1 && view->features.stride % width == 0 && view->rows.stride < width;
    return areTurned ? "attention of features to features" : otherRows();
  }
  if (attention.headDim != 0 && attention.headDim != d) return "heads of different widths";
  attention.headDim = d;
  const std::int64_t most = std::max(width, kMostHeadFeatures);  // of heads that share features
  if (attention.heads > most || attention.heads * d > most) return "its layout is not understood";
  if (view->offset < 0) return "its layout is not understood";
  std::optional<Integers> features = featuresOf(*view, width);
  if (!features) return otherRows();  // a head of other rows
  projection.features = std::move(*features);
  projection.linear = linear;
  projection.linear.input = behindRowViews(analysed, linear.input, &nodes);
  nodes.insert(nodes.end(), linear.nodes.begin(), linear.nodes.end());
  if (!projection.scale.empty() && projection.scale.size() != projection.features.size())
    return "its layout is not understood";
  orderPairs(d, projection);
  return {};
}

bool areHeadsSideBySide(const AnalysedModel& analysed, const View& places, std::int64_t batch,
                        FoundAttention& attention, const std::string& value) {
  const Integers* out = analysed.values.dims(value);
  const std::optional<View> flat =
      asHeads(places, batch, attention.heads, false, attention.headsFirst);
  if (!flat) return false;
  const std::optional<Heads> view = byHeads(*flat);
  if (out == nullptr || out->empty() || !view) return false;
  const std::int64_t d = view->features.size;
  const std::optional<Run> heads = joined(view->heads);
  if (out->back() != attention.heads * d || (d != 1 && view->features.stride != 1) ||
      (attention.heads != 1 && (!heads || heads->stride != d)))
    return false;
  std::optional<bool> rowsFirst;
  if (!areRows(*view, out->back(), rowsFirst)) return false;
  if (!rowsFirst) {  // of one image its dims tell
    const Integers* in = analysed.values.dims(attention.input);
    attention.swapsResult = in != nullptr && in->size() == 3 && out->size() == 3 &&
                            view->rows.size > 1 && (in->front() == 1) != (out->front() == 1);
  } else if (attention.rowsFirst && *rowsFirst != *attention.rowsFirst) {
    // Other dims mix images.
    Integers swapped{batch, view->rows.size, out->back()};
    if (*rowsFirst) std::swap(swapped[0], swapped[1]);
    if (*out != swapped || swapped[0] == swapped[1]) return false;
    attention.swapsResult = true;
  } else {
    attention.rowsFirst = rowsFirst;
  }
  return true;
}

}  // namespace mpm::onnx
