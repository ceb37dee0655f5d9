// SPDX-License-Identifier: Apache-2.0
// One-node attention, without a cache, in plain operators. Sizes: B images, N rows, h heads of d
// features.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rules.h"

namespace mpm::onnx {

namespace {

std::string reshaped(Spelling& spelling, const std::string& value, const Integers& dims,
                     const std::string& output = "") {
  return spelling.add("Reshape", {value, spelling.integers(dims)}, output);
}

// Turns [B N h d] into [B h N d].
std::string byHead(Spelling& spelling, const std::string& value, std::int64_t heads) {
  const std::string split = reshaped(spelling, value, {0, 0, heads, -1});
  return spellTranspose(spelling, split, {0, 2, 1, 3});
}

// Name of a value that is added to scores [B h N N]; empty for none.
using Bias = std::string;

struct Scores {
  float scale = 1;  // of q k
  Bias bias;
  float cap = 0;  // a score x becomes cap tanh(x / cap); 0: it stays
};

// Computes softmax(scores) v of [B h N d].
std::string attended(Spelling& spelling, const std::string& q, const std::string& k,
                     const std::string& v, const Scores& how, const std::string& output = "") {
  const std::string turned = spellTranspose(spelling, k, {0, 1, 3, 2});
  std::string scores = spelling.add("MatMul", {q, turned});
  if (how.scale != 1) scores = spelling.add("Mul", {scores, spelling.scalar(how.scale)});
  if (!how.bias.empty()) scores = spelling.add("Add", {scores, how.bias});
  if (how.cap != 0) {
    const std::string bent =
        spelling.add("Tanh", {spelling.add("Div", {scores, spelling.scalar(how.cap)})});
    scores = spelling.add("Mul", {bent, spelling.scalar(how.cap)});
  }
  const std::string shares = spelling.add("Softmax", {scores});
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  return spelling.add("MatMul", {shares, v}, output);
}

// Turns [B h N d] into rows [B N hd].
void spellRows(Spelling& spelling, const std::string& value, const std::string& output) {
  reshaped(spelling, spellTranspose(spelling, value, {0, 2, 1, 3}), {0, 0, -1}, output);
}

// Tells whether no inputs from this one on are given, except one.
bool hasNoMore(const Node& node, int first, int but = -1) {
  for (int i = first; i < node.input_size(); ++i) {
    if (i != but && hasInput(node, i)) return false;
  }
  return true;
}

// Returns the type from the file or the value's node, since simplified files state few types.
int typeOf(const Model& model, const std::string& value, int depth = 0) {
  constexpr int kDeepest = 16;
  if (const auto constant = model.constant(value)) return constant->type();
  const auto info = model.info(value);
  if (info && info->type != 0) return info->type;
  const Node* node = depth < kDeepest ? model.producer(value) : nullptr;
  if (node == nullptr) return 0;
  if (isAny(*node, {"And", "Or", "Xor", "Not", "Equal", "Less", "LessOrEqual", "Greater",
                    "GreaterOrEqual", "IsNaN", "IsInf"}))
    return ::onnx::TensorProto::BOOL;
  if (isOp(*node, "Cast")) return static_cast<int>(intAttribute(*node, "to").value_or(0));
  if (!isAny(*node, {"Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Expand", "Tile",
                     "Slice", "Concat", "Where", "Add", "Sub", "Mul"}))
    return 0;
  return typeOf(model, inputOf(*node, isOp(*node, "Where") ? 1 : 0), depth + 1);
}

// Returns the bias of a mask: numbers to add, or booleans that select keys.
Bias biasOf(Spelling& spelling, const std::string& mask) {
  if (typeOf(spelling.model(), mask) == ::onnx::TensorProto::FLOAT) return mask;
  const std::string open = spelling.scalar(0);
  const std::string closed = spelling.scalar(std::numeric_limits<float>::lowest());
  return spelling.add("Where", {mask, open, closed});
}

// Returns the size of a value's axis; 0 if it is unknown.
std::int64_t sizeOf(Spelling& spelling, const std::string& value, std::size_t axis) {
  const Integers* dims = spelling.dims(value);
  return dims != nullptr && axis < dims->size() ? std::max<std::int64_t>((*dims)[axis], 0) : 0;
}

constexpr std::int64_t kMostCausal = std::int64_t{1} << 24;

// Tells whether a causal mask of so many queries and keys is small enough.
bool isCausalSize(std::int64_t queries, std::int64_t keys) {
  return queries > 0 && keys > 0 && queries <= kMostCausal / keys;
}

// Returns a bias with which query i only sees the keys up to i.
Bias causalBias(Spelling& spelling, std::int64_t queries, std::int64_t keys, const Bias& bias) {
  std::vector<float> closed(static_cast<std::size_t>(queries * keys), 0.0F);
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = i + 1; j < keys; ++j)
      closed[static_cast<std::size_t>(i * keys + j)] = std::numeric_limits<float>::lowest();
  }
  const std::string mask = spelling.floats({queries, keys}, closed);
  return bias.empty() ? mask : spelling.add("Add", {bias, mask});
}

bool isRank(Spelling& spelling, const std::string& value, std::size_t rank) {
  const Integers* dims = spelling.dims(value);
  return dims != nullptr && dims->size() == rank;
}

constexpr std::int64_t kMostFeatures = std::int64_t{1} << 31;

// Returns the last size of a value, 0 if it is unknown.
std::int64_t features(Spelling& spelling, const std::string& value) {
  const Integers* dims = spelling.dims(value);
  return dims != nullptr && !dims->empty() && dims->back() > 0 && dims->back() < kMostFeatures
             ? dims->back()
             : 0;
}

// Returns a node's scale; 0 or none means the default.
float scaleOf(const Node& node, std::int64_t headDim) {
  const float scale = floatAttribute(node, "scale").value_or(0);
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(headDim));
}

bool isSet(const Node& node, const char* attribute) {
  return intAttribute(node, attribute).value_or(0) != 0;
}

// Returns one of a constant vector's three equal parts.
std::string third(Spelling& spelling, const Floats& values, std::size_t part) {
  const std::size_t size = values.size() / 3;
  const float* first = values.data() + part * size;
  return spelling.floats({static_cast<std::int64_t>(size)}, {first, first + size});
}

// Returns a bias: 0 where an integer mask [B keys] is not 0, elsewhere the node's filter value.
Bias paddingBias(Spelling& spelling, const std::string& mask) {
  const std::string kept = spelling.add("Cast", {mask});
  setAttribute(spelling.last(), "to", std::int64_t{::onnx::TensorProto::BOOL});
  const float filter = floatAttribute(spelling.node(), "mask_filter_value").value_or(-10000);
  const std::string open = spelling.scalar(0);
  const std::string bias = spelling.add("Where", {kept, open, spelling.scalar(filter)});
  return reshaped(spelling, bias, {0, 1, 1, -1});
}

// Masks of ONNX Runtime's nodes: of keys, added numbers, and later keys.
struct Masks {
  std::string keys, added;
  std::int64_t rows = 0;  // of queries and keys, where it is causal
};

Bias biasOf(Spelling& spelling, const Masks& masks) {
  Bias bias = masks.added;
  if (!masks.keys.empty()) {
    const Bias padding = paddingBias(spelling, masks.keys);
    bias = bias.empty() ? padding : spelling.add("Add", {bias, padding});
  }
  return masks.rows > 0 ? causalBias(spelling, masks.rows, masks.rows, bias) : bias;
}

// Repeats heads [B h N d] that each serve several heads of the queries.
std::string repeated(Spelling& spelling, const std::string& value, std::int64_t heads,
                     std::int64_t queryHeads) {
  if (heads == queryHeads) return value;
  Integers order;
  for (std::int64_t i = 0; i < queryHeads; ++i) order.push_back(i / (queryHeads / heads));
  const std::string copies = spelling.add("Gather", {value, spelling.integers(order)});
  setAttribute(spelling.last(), "axis", std::int64_t{1});
  return copies;
}

}  // namespace

// Inputs: x [B N D], weights [D 3hd], bias [3hd]?, a mask of keys [B N]?, -, a bias of scores?.
bool lowerPackedAttention(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::int64_t heads = intAttribute(node, "num_heads").value_or(0);
  const auto sizes = intsAttribute(node, "qkv_hidden_sizes").value_or(Integers{});
  if (isSet(node, "do_rotary") || !hasInput(node, 0) || !hasInput(node, 1) || hasInput(node, 4) ||
      !hasNoMore(node, 6))
    return false;
  const std::int64_t width = features(spelling, node.input(1));
  if (heads <= 0 || heads > width || width % (3 * heads) != 0) return false;
  for (const std::int64_t size : sizes) {
    if (size != width / 3) return false;
  }
  const float scale = scaleOf(node, width / 3 / heads);
  if (!areUnused(spelling.model(), node, 1)) return false;
  Masks masks{inputOf(node, 3), inputOf(node, 5)};
  if (!masks.keys.empty() && !isRank(spelling, masks.keys, 2)) return false;
  if (isSet(node, "unidirectional")) {
    masks.rows = sizeOf(spelling, node.input(0), 1);
    if (!isCausalSize(masks.rows, masks.rows)) return false;
  }

  std::string rows = spelling.add("MatMul", {node.input(0), node.input(1)});
  if (hasInput(node, 2)) rows = spelling.add("Add", {rows, node.input(2)});
  const std::string parts = spellTranspose(
      spelling, reshaped(spelling, rows, {0, 0, 3, heads, width / 3 / heads}), {2, 0, 3, 1, 4});
  std::string qkv[3];
  for (int i = 0; i < 3; ++i) {
    qkv[i] = spelling.add("Gather", {parts, spelling.integer(i)});
    setAttribute(spelling.last(), "axis", std::int64_t{0});
  }
  const Bias bias = biasOf(spelling, masks);
  spellRows(spelling, attended(spelling, qkv[0], qkv[1], qkv[2], {scale, bias}), node.output(0));
  return true;
}

namespace {

// [B N h 3 d] has q, k and v of each head in sequence.
bool lowerPackedHeads(Spelling& spelling, const Masks& masks) {
  const Node& node = spelling.node();
  const std::int64_t headDim = features(spelling, node.input(0));
  if (headDim == 0 || hasInput(node, 1) || hasInput(node, 2) || hasInput(node, 3)) return false;
  const std::string parts = spellTranspose(spelling, node.input(0), {3, 0, 2, 1, 4});
  std::string qkv[3];
  for (int i = 0; i < 3; ++i) {
    qkv[i] = spelling.add("Gather", {parts, spelling.integer(i)});
    setAttribute(spelling.last(), "axis", std::int64_t{0});
  }
  const Bias bias = biasOf(spelling, masks);
  spellRows(spelling, attended(spelling, qkv[0], qkv[1], qkv[2], {scaleOf(node, headDim), bias}),
            node.output(0));
  return true;
}

}  // namespace

// Inputs: q, k, v [B N hd], k and v perhaps [B h N d], or all in q; bias [3hd]?, a mask of keys [B
// N]?, a bias of scores?.
bool lowerMultiHeadAttention(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::int64_t heads = intAttribute(node, "num_heads").value_or(0);
  if (node.input_size() < 1 || !hasInput(node, 0) || !hasNoMore(node, 6) ||
      !areUnused(spelling.model(), node, 1))
    return false;
  Masks masks{inputOf(node, 4), inputOf(node, 5)};
  if (!masks.keys.empty() && !isRank(spelling, masks.keys, 2)) return false;
  if (isSet(node, "unidirectional")) {
    masks.rows = sizeOf(spelling, node.input(0), 1);
    if (!isCausalSize(masks.rows, masks.rows)) return false;
  }
  if (isRank(spelling, node.input(0), 5)) return lowerPackedHeads(spelling, masks);
  std::int64_t width = 0;
  bool isByHead[3] = {};
  for (int i = 0; i < 3; ++i) {
    isByHead[i] = i > 0 && hasInput(node, i) && isRank(spelling, node.input(i), 4);
    if (!hasInput(node, i) || !(isByHead[i] || isRank(spelling, node.input(i), 3))) return false;
    if (width == 0 && i < 2 && !isByHead[i]) width = features(spelling, node.input(i));
  }
  if (masks.rows > 0 && sizeOf(spelling, node.input(1), isByHead[1] ? 2 : 1) != masks.rows)
    return false;
  std::optional<Floats> bias;
  if (hasInput(node, 3)) {
    const auto constant = spelling.model().constant(node.input(3));
    if (!constant || !constant->isFloating() || isByHead[1] || isByHead[2]) return false;
    // Requires q and k to be as wide as v.
    if (width == 0 || constant->count() != 3 * width) return false;
    bias = constant->floats();
  }
  if (heads <= 0 || width < heads || width % heads != 0) return false;
  const float scale = scaleOf(node, width / heads);

  std::string qkv[3];
  for (int i = 0; i < 3; ++i) {
    std::string rows = node.input(i);
    if (bias)
      rows = spelling.add("Add", {rows, third(spelling, *bias, static_cast<std::size_t>(i))});
    qkv[i] = isByHead[i] ? rows : byHead(spelling, rows, heads);
  }
  const Bias added = biasOf(spelling, masks);
  spellRows(spelling, attended(spelling, qkv[0], qkv[1], qkv[2], {scale, added}), node.output(0));
  return true;
}

namespace {

// Heads of ONNX's own Attention.
struct Heads {
  bool areInRows = false;  // [B N hd]
  std::int64_t q = 0, kv = 0, dim = 0;
};

std::optional<Heads> headsOf(Spelling& spelling) {
  const Node& node = spelling.node();
  Heads heads{false, intAttribute(node, "q_num_heads").value_or(0),
              intAttribute(node, "kv_num_heads").value_or(0), 0};
  heads.areInRows = heads.q > 0;
  if (heads.areInRows != (heads.kv > 0)) return std::nullopt;
  for (int i = 0; i < 3; ++i) {
    if (!hasInput(node, i) || !isRank(spelling, node.input(i), heads.areInRows ? 3 : 4))
      return std::nullopt;
  }
  const std::int64_t width = features(spelling, node.input(0));
  if (heads.areInRows) {
    heads.dim = width % heads.q == 0 ? width / heads.q : 0;
  } else {
    heads.q = sizeOf(spelling, node.input(0), 1);
    heads.kv = sizeOf(spelling, node.input(1), 1);
    heads.dim = width > 0 ? width : features(spelling, node.input(1));
  }
  constexpr std::int64_t kMostHeads = 1 << 12;
  const bool fits = heads.q > 0 && heads.kv > 0 && heads.q <= kMostHeads && heads.q % heads.kv == 0;
  return fits ? std::optional(heads) : std::nullopt;
}

}  // namespace

// ONNX 23. Inputs: q, k, v as [B N hd] if the numbers of heads are named, else [B h N d]; a mask?.
bool lowerAttention(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() < 3 || !hasNoMore(node, 4) || !areUnused(spelling.model(), node, 1))
    return false;
  const std::optional<Heads> heads = headsOf(spelling);
  const std::optional<float> named = floatAttribute(node, "scale");
  if (!heads || (!named && heads->dim == 0)) return false;
  const int maskType = hasInput(node, 3) ? typeOf(spelling.model(), node.input(3)) : 0;
  const bool isMaskKnown =
      maskType == ::onnx::TensorProto::FLOAT || maskType == ::onnx::TensorProto::BOOL;
  if (hasInput(node, 3) && !isMaskKnown) return false;
  const bool isCausal = isSet(node, "is_causal");
  const float cap = floatAttribute(node, "softcap").value_or(0);
  // Runtimes apply a cap to a mask in different ways.
  if (cap != 0 && (isCausal || hasInput(node, 3))) return false;
  const std::size_t rowAxis = heads->areInRows ? 1 : 2;
  const std::int64_t queries = sizeOf(spelling, node.input(0), rowAxis);
  const std::int64_t keys = sizeOf(spelling, node.input(1), rowAxis);
  if (isCausal && !isCausalSize(queries, keys)) return false;

  const float scale = named ? *named : 1 / std::sqrt(static_cast<float>(heads->dim));
  Bias bias = hasInput(node, 3) ? biasOf(spelling, node.input(3)) : Bias();
  if (isCausal) bias = causalBias(spelling, queries, keys, bias);
  std::string qkv[3];
  for (int i = 0; i < 3; ++i) {
    const std::int64_t own = i == 0 ? heads->q : heads->kv;
    qkv[i] = heads->areInRows ? byHead(spelling, node.input(i), own) : node.input(i);
    qkv[i] = repeated(spelling, qkv[i], own, heads->q);
  }
  const std::string mixed = attended(spelling, qkv[0], qkv[1], qkv[2], {scale, bias, cap},
                                     heads->areInRows ? "" : node.output(0));
  if (heads->areInRows) spellRows(spelling, mixed, node.output(0));
  return true;
}

}  // namespace mpm::onnx
