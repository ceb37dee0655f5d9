// SPDX-License-Identifier: Apache-2.0
// One-node attention, without a cache, in plain operators. Sizes: B images, N rows, h heads of d
// features.
#include <cmath>
#include <limits>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {
namespace {

std::string reshaped(Spelling& spelling, const std::string& value, const Integers& dims,
                     const std::string& output = "") {
  return spelling.add("Reshape", {value, spelling.integers(dims)}, output);
}

// [B N h d] as [B h N d].
std::string byHead(Spelling& spelling, const std::string& value, std::int64_t heads) {
  const std::string split = reshaped(spelling, value, {0, 0, heads, -1});
  return spellTranspose(spelling, split, {0, 2, 1, 3});
}

// What is added to scores [B h N N], under which name; empty for nothing.
using Bias = std::string;

// softmax(q k scale + bias) v of [B h N d].
std::string attended(Spelling& spelling, const std::string& q, const std::string& k,
                     const std::string& v, float scale, const Bias& bias,
                     const std::string& output = "") {
  const std::string turned = spellTranspose(spelling, k, {0, 1, 3, 2});
  std::string scores = spelling.add("MatMul", {q, turned});
  if (scale != 1) scores = spelling.add("Mul", {scores, spelling.scalar(scale)});
  if (!bias.empty()) scores = spelling.add("Add", {scores, bias});
  const std::string shares = spelling.add("Softmax", {scores});
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  return spelling.add("MatMul", {shares, v}, output);
}

// [B h N d] as rows [B N hd].
void spellRows(Spelling& spelling, const std::string& value, const std::string& output) {
  reshaped(spelling, spellTranspose(spelling, value, {0, 2, 1, 3}), {0, 0, -1}, output);
}

// Are the inputs from this one on left out, but for one?
bool hasNoMore(const Node& node, int first, int but = -1) {
  for (int i = first; i < node.input_size(); ++i) {
    if (i != but && hasInput(node, i)) return false;
  }
  return true;
}

int typeOf(const Model& model, const std::string& value) {
  if (const auto constant = model.constant(value)) return constant->type();
  const auto info = model.info(value);
  return info ? info->type : 0;
}

// Of a mask: numbers to add, or truth values that say where to attend to.
Bias biasOf(Spelling& spelling, const std::string& mask) {
  if (typeOf(spelling.model(), mask) == ::onnx::TensorProto::FLOAT) return mask;
  const std::string open = spelling.scalar(0);
  const std::string closed = spelling.scalar(std::numeric_limits<float>::lowest());
  return spelling.add("Where", {mask, open, closed});
}

bool isRank(Spelling& spelling, const std::string& value, std::size_t rank) {
  const Integers* dims = spelling.dims(value);
  return dims != nullptr && dims->size() == rank;
}

constexpr std::int64_t kMostFeatures = std::int64_t{1} << 31;

// The last size of a value, 0 where it is not known.
std::int64_t features(Spelling& spelling, const std::string& value) {
  const Integers* dims = spelling.dims(value);
  return dims != nullptr && !dims->empty() && dims->back() > 0 && dims->back() < kMostFeatures
             ? dims->back()
             : 0;
}

// The scale that a node names; 0 and nothing mean the default.
float scaleOf(const Node& node, std::int64_t headDim) {
  const float scale = floatAttribute(node, "scale").value_or(0);
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(headDim));
}

bool isSet(const Node& node, const char* attribute) {
  return intAttribute(node, attribute).value_or(0) != 0;
}

// Parts of a constant vector of three equal parts.
std::string third(Spelling& spelling, const Floats& values, std::size_t part) {
  const std::size_t size = values.size() / 3;
  const float* first = values.data() + part * size;
  return spelling.floats({static_cast<std::int64_t>(size)}, {first, first + size});
}

}  // namespace

// Inputs x [B N D], weights [D 3hd], bias [3hd]?, -, -, what is added to scores?.
bool lowerPackedAttention(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::int64_t heads = intAttribute(node, "num_heads").value_or(0);
  const auto sizes = intsAttribute(node, "qkv_hidden_sizes").value_or(Integers{});
  const bool masked = isSet(node, "unidirectional") || isSet(node, "do_rotary");
  if (masked || !hasInput(node, 0) || !hasInput(node, 1) || !hasNoMore(node, 3, 5)) return false;
  const std::int64_t width = features(spelling, node.input(1));
  if (heads <= 0 || heads > width || width % (3 * heads) != 0) return false;
  for (const std::int64_t size : sizes) {
    if (size != width / 3) return false;
  }
  const float scale = scaleOf(node, width / 3 / heads);
  if (!areUnused(spelling.model(), node, 1)) return false;

  std::string rows = spelling.add("MatMul", {node.input(0), node.input(1)});
  if (hasInput(node, 2)) rows = spelling.add("Add", {rows, node.input(2)});
  const std::string parts = spellTranspose(
      spelling, reshaped(spelling, rows, {0, 0, 3, heads, width / 3 / heads}), {2, 0, 3, 1, 4});
  std::string qkv[3];
  for (int i = 0; i < 3; ++i) {
    qkv[i] = spelling.add("Gather", {parts, spelling.integer(i)});
    setAttribute(spelling.last(), "axis", std::int64_t{0});
  }
  const Bias bias = inputOf(node, 5);
  spellRows(spelling, attended(spelling, qkv[0], qkv[1], qkv[2], scale, bias), node.output(0));
  return true;
}

// Inputs q, k, v [B N hd], bias [3hd]?, -, what is added to scores?.
bool lowerMultiHeadAttention(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::int64_t heads = intAttribute(node, "num_heads").value_or(0);
  if (isSet(node, "unidirectional") || node.input_size() < 3 || !hasNoMore(node, 4, 5))
    return false;
  std::int64_t width = 0;
  for (int i = 0; i < 3; ++i) {
    if (!hasInput(node, i) || !isRank(spelling, node.input(i), 3)) return false;
    if (width == 0 && i < 2) width = features(spelling, node.input(i));
  }
  std::optional<Floats> bias;
  if (hasInput(node, 3)) {
    const auto constant = spelling.model().constant(node.input(3));
    if (!constant || !constant->isFloating()) return false;
    // Where q and k are as wide as v.
    if (width == 0 || constant->count() != 3 * width) return false;
    bias = constant->floats();
  }
  if (heads <= 0 || width < heads || width % heads != 0) return false;
  const float scale = scaleOf(node, width / heads);
  if (!areUnused(spelling.model(), node, 1)) return false;

  std::string qkv[3];
  for (int i = 0; i < 3; ++i) {
    std::string rows = node.input(i);
    if (bias)
      rows = spelling.add("Add", {rows, third(spelling, *bias, static_cast<std::size_t>(i))});
    qkv[i] = byHead(spelling, rows, heads);
  }
  const Bias added = inputOf(node, 5);
  spellRows(spelling, attended(spelling, qkv[0], qkv[1], qkv[2], scale, added), node.output(0));
  return true;
}

// ONNX 23. Inputs q, k, v: [B N hd] where the numbers of heads are named, else [B h N d]; a mask?.
bool lowerAttention(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::int64_t heads = intAttribute(node, "q_num_heads").value_or(0);
  const std::int64_t kvHeads = intAttribute(node, "kv_num_heads").value_or(0);
  const bool bent = isSet(node, "is_causal") || floatAttribute(node, "softcap").value_or(0) != 0;
  if (bent || heads < 0 || heads != kvHeads || node.input_size() < 3) return false;
  if (!hasNoMore(node, 4) || !areUnused(spelling.model(), node, 1)) return false;
  const int maskType = hasInput(node, 3) ? typeOf(spelling.model(), node.input(3)) : 0;
  const bool isMaskKnown =
      maskType == ::onnx::TensorProto::FLOAT || maskType == ::onnx::TensorProto::BOOL;
  if (hasInput(node, 3) && !isMaskKnown) return false;
  std::int64_t headDim = 0;
  for (int i = 0; i < 3; ++i) {
    if (!hasInput(node, i) || !isRank(spelling, node.input(i), heads > 0 ? 3 : 4)) return false;
    if (headDim == 0 && i < 2) headDim = features(spelling, node.input(i));
  }
  if (heads > 0) headDim = headDim % heads == 0 ? headDim / heads : 0;
  const std::optional<float> named = floatAttribute(node, "scale");
  if (!named && headDim == 0) return false;
  const float scale = named ? *named : 1 / std::sqrt(static_cast<float>(headDim));
  if (heads == 0) {
    // Heads of k and v that serve several of q each would need copies.
    const Integers& q = *spelling.dims(node.input(0));
    const Integers& k = *spelling.dims(node.input(1));
    if (q[1] < 0 || q[1] != k[1]) return false;
  }
  const Bias bias = hasInput(node, 3) ? biasOf(spelling, node.input(3)) : Bias();
  if (heads == 0) {
    attended(spelling, node.input(0), node.input(1), node.input(2), scale, bias, node.output(0));
    return true;
  }
  std::string qkv[3];
  for (int i = 0; i < 3; ++i) qkv[i] = byHead(spelling, node.input(i), heads);
  spellRows(spelling, attended(spelling, qkv[0], qkv[1], qkv[2], scale, bias), node.output(0));
  return true;
}

}  // namespace mpm::onnx
