// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's fused element-wise nodes, norms, products and convolutions.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rules.h"

namespace mpm::onnx {

namespace {

// Copies the node's attributes except those of the fusion.
void copyAttributes(const Node& from, Node& to, std::initializer_list<const char*> but) {
  for (const auto& attribute : from.attribute()) {
    bool copied = true;
    for (const char* name : but) copied = copied && attribute.name() != name;
    if (copied) *to.add_attribute() = attribute;
  }
}

// Tells whether spellActivation can write this activation.
bool isActivation(const std::string& type) {
  for (const char* known : {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip"}) {
    if (type == known) return true;
  }
  return false;
}

void spellActivation(Spelling& spelling, const std::string& type, const std::vector<float>& numbers,
                     const std::string& x, const std::string& output) {
  if (type == "Clip") {
    const std::string low = spelling.scalar(numbers[0]);
    spelling.add("Clip", {x, low, spelling.scalar(numbers[1])}, output);
    return;
  }
  spelling.add(type.c_str(), {x}, output);
  if (type == "LeakyRelu" || type == "HardSigmoid") {
    setAttribute(spelling.last(), "alpha", numbers[0]);
  }
  if (type == "HardSigmoid") setAttribute(spelling.last(), "beta", numbers[1]);
}

std::size_t numbersOf(const std::string& type) {
  if (type == "LeakyRelu") return 1;
  return type == "Clip" || type == "HardSigmoid" ? 2 : 0;
}

// Permutes an operand of a product as attributes say: swaps its last two axes, moves its first one
// after the batch, or both.
std::string turnedOperand(Spelling& spelling, const std::string& value, bool isTurned,
                          bool isBatchBehind) {
  if (!isTurned && !isBatchBehind) return value;
  const Integers* dims = spelling.dims(value);
  const auto rank = static_cast<std::int64_t>(dims->size());
  Integers order;
  for (std::int64_t axis = isBatchBehind ? 1 : 0; axis < rank - (isBatchBehind ? 1 : 2); ++axis) {
    order.push_back(axis);
  }
  const std::int64_t rows = isBatchBehind ? 0 : rank - 2;
  order.push_back(isTurned ? rank - 1 : rows);
  order.push_back(isTurned ? rows : rank - 1);
  return spellTranspose(spelling, value, order);
}

}  // namespace

bool lowerGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 1 || node.output_size() != 1) return false;
  spelling.add("Gelu", {node.input(0)}, node.output(0));
  return true;
}

bool lowerBiasGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1) || node.input_size() != 2) return false;
  spelling.add("Gelu", {spelling.add("Add", {node.input(0), node.input(1)})}, node.output(0));
  return true;
}

bool lowerFastGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || node.input_size() > 2) return false;
  const std::string x =
      hasInput(node, 1) ? spelling.add("Add", {node.input(0), node.input(1)}) : node.input(0);
  spelling.add("Gelu", {x}, node.output(0));
  setAttribute(spelling.last(), "approximate", std::string("tanh"));
  return true;
}

bool lowerQuickGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  const float alpha = floatAttribute(node, "alpha").value_or(1.702F);
  if (!hasInput(node, 0) || node.input_size() != 1) return false;
  const std::string& x = node.input(0);
  const std::string scaled = alpha == 1 ? x : spelling.add("Mul", {x, spelling.scalar(alpha)});
  spelling.add("Mul", {x, spelling.add("Sigmoid", {scaled})}, node.output(0));
  return true;
}

// Inputs: x, skip, gamma, beta?, bias?; outputs: y, mean, 1 / deviation, x + skip + bias. The
// variant without a mean has no beta.
bool lowerSkipNormalize(Spelling& spelling) {
  const Node& node = spelling.node();
  const bool isRms = node.op_type() == "SkipSimplifiedLayerNormalization";
  const int added = isRms ? 3 : 4;
  const float epsilon = floatAttribute(node, "epsilon").value_or(1e-12F);
  if (!hasInput(node, 0) || !hasInput(node, 1) || !hasInput(node, 2)) return false;
  if (node.input_size() > added + 1 || node.output_size() > 4) return false;
  if (!areUnused(spelling.model(), node, 1, 3)) return false;
  const std::string total = node.output_size() == 4 ? node.output(3) : "";
  const bool hasBias = hasInput(node, added);
  // The bias belongs to the branch, which a product makes.
  std::string branch = node.input(1), stream = node.input(0);
  const Node* product = spelling.model().producer(stream);
  if (product != nullptr && isOp(*product, "MatMul")) std::swap(branch, stream);
  if (hasBias) branch = spelling.add("Add", {branch, node.input(added)});
  const std::string sum = spelling.add("Add", {stream, branch}, total);
  std::vector<std::string> inputs = {sum, node.input(2)};
  if (!isRms && hasInput(node, 3)) inputs.push_back(node.input(3));
  spelling.add(isRms ? "SimplifiedLayerNormalization" : "LayerNormalization", inputs,
               node.output(0));
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  setAttribute(spelling.last(), "epsilon", epsilon);
  return true;
}

bool lowerFusedMatMul(Spelling& spelling) {
  const Node& node = spelling.node();
  const float alpha = floatAttribute(node, "alpha").value_or(1);
  if (node.input_size() != 2 || !hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto is = [&](const char* name) { return intAttribute(node, name).value_or(0) != 0; };
  const auto fits = [&](int input, bool isTurned, bool isBatchBehind) {
    const Integers* dims = spelling.dims(node.input(input));
    return !(isTurned || isBatchBehind) ||
           (dims != nullptr && dims->size() >= (isBatchBehind ? 3U : 2U));
  };
  if (!fits(0, is("transA"), is("transBatchA"))) return false;
  if (!fits(1, is("transB"), is("transBatchB"))) return false;
  const auto a = turnedOperand(spelling, node.input(0), is("transA"), is("transBatchA"));
  const auto b = turnedOperand(spelling, node.input(1), is("transB"), is("transBatchB"));
  const std::string product =
      spelling.add("MatMul", {a, b}, alpha == 1 ? node.output(0) : std::string());
  if (alpha != 1) spelling.add("Mul", {product, spelling.scalar(alpha)}, node.output(0));
  return true;
}

// Lowers a product with weights that is split by features, as simplifiers join projections. Each
// part of the weights gets a product.
bool lowerSplitProduct(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* product = hasInput(node, 0) ? spelling.model().producer(node.input(0)) : nullptr;
  if (product == nullptr || !isOp(*product, "MatMul") || product->input_size() != 2) return false;
  const auto weights = spelling.model().constant(product->input(1));
  const Integers* dims = spelling.dims(node.input(0));
  if (!weights || weights->dims().size() != 2 || weights->type() != ::onnx::TensorProto::FLOAT ||
      dims == nullptr || dims->empty() || spelling.model().isOutput(node.input(0)) ||
      spelling.model().consumers(node.input(0)).size() != 1) {
    return false;
  }
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), dims->size());
  if (!axis || *axis + 1 != dims->size()) return false;
  const std::int64_t rows = weights->dims()[0], columns = weights->dims()[1];
  std::optional<Integers> sizes = intsAttribute(node, "split");
  if (hasInput(node, 1)) sizes = spelling.integersIn(node.input(1));
  if (!sizes && columns % node.output_size() == 0) {
    sizes = Integers(static_cast<std::size_t>(node.output_size()), columns / node.output_size());
  }
  std::int64_t total = 0;
  for (const std::int64_t size : sizes.value_or(Integers{})) {
    if (size <= 0 || size > columns) return false;
    total += size;
  }
  if (total != columns || static_cast<int>(sizes->size()) != node.output_size()) return false;
  const Floats all = weights->floats();
  const float* first = all.data();
  for (int part = 0; part < node.output_size(); ++part) {
    const std::int64_t size = (*sizes)[static_cast<std::size_t>(part)];
    std::vector<float> own;
    own.reserve(static_cast<std::size_t>(rows * size));
    for (std::int64_t row = 0; row < rows; ++row) {
      own.insert(own.end(), first + row * columns, first + row * columns + size);
    }
    first += size;
    if (node.output(part).empty()) continue;
    spelling.add("MatMul", {product->input(0), spelling.floats({rows, size}, own)},
                 node.output(part));
  }
  return true;
}

bool lowerFusedGemm(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::string type = stringAttribute(node, "activation").value_or("");
  const std::vector<float> numbers = {
      floatAttribute(node, "activation_alpha").value_or(type == "LeakyRelu" ? 0.01F : 0.2F),
      floatAttribute(node, "activation_beta").value_or(0.5F)};
  if (!isActivation(type) || type == "Clip") return false;
  if (node.input_size() < 2 || node.input_size() > 3) return false;
  const std::string sum = spelling.add("Gemm", {node.input().begin(), node.input().end()});
  copyAttributes(node, spelling.last(),
                 {"activation", "activation_alpha", "activation_beta", "activation_gamma"});
  spellActivation(spelling, type, numbers, sum, node.output(0));
  return true;
}

// Inputs: x, weights, bias?, a value that is added before the activation?.
bool lowerFusedConv(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::string type = stringAttribute(node, "activation").value_or("");
  const auto numbers = floatsAttribute(node, "activation_params").value_or(std::vector<float>{});
  if (!type.empty() && (!isActivation(type) || numbers.size() < numbersOf(type))) return false;
  if (!hasInput(node, 0) || !hasInput(node, 1) || node.input_size() > 4) return false;
  const bool isSum = hasInput(node, 3);
  std::vector<std::string> inputs = {node.input(0), node.input(1)};
  if (hasInput(node, 2)) inputs.push_back(node.input(2));
  const auto outputIf = [&](bool isEnd) { return isEnd ? node.output(0) : std::string(); };
  std::string value = spelling.add("Conv", inputs, outputIf(!isSum && type.empty()));
  copyAttributes(node, spelling.last(), {"activation", "activation_params"});
  if (isSum) value = spelling.add("Add", {value, node.input(3)}, outputIf(type.empty()));
  if (!type.empty()) spellActivation(spelling, type, numbers, value, node.output(0));
  return true;
}

// Rotary positions in one node, in plain operators. Sizes: B images, N rows, h heads of d features;
// 2 r of them are rotated.

namespace {

struct Rotary {
  bool isInRows = false;  // [B N hd], else [B h N d]
  std::int64_t heads = 0, headDim = 0, half = 0;
  bool areNeighbours = false;  // pairs lie side by side
  std::string cosines, sines;  // [B N r]
};

std::int64_t lastSize(const Spelling& spelling, const std::string& value) {
  const Integers* dims = spelling.dims(value);
  return dims != nullptr && !dims->empty() ? dims->back() : -1;
}

// Reads sizes of the operand. `columns`: half of its rotated features; below 1 if unknown.
bool readSizes(const Spelling& spelling, std::int64_t columns, Rotary& rotary) {
  const Node& node = spelling.node();
  const Integers* dims = spelling.dims(node.input(0));
  if (dims == nullptr || (dims->size() != 3 && dims->size() != 4) || dims->back() < 1) return false;
  const std::int64_t named = intAttribute(node, "rotary_embedding_dim").value_or(0);
  rotary.heads = intAttribute(node, "num_heads").value_or(0);
  rotary.isInRows = dims->size() == 3;
  rotary.headDim = dims->back();
  if (rotary.isInRows) {
    // ONNX Runtime's node may lack the number of heads; the tables then give their width.
    if (rotary.heads < 1 && named == 0 && columns > 0) rotary.heads = dims->back() / (2 * columns);
    if (rotary.heads < 1 || dims->back() % rotary.heads != 0) return false;
    rotary.headDim = dims->back() / rotary.heads;
  }
  const std::int64_t turned = named > 0 ? named : rotary.headDim;
  rotary.half = turned / 2;
  rotary.areNeighbours = intAttribute(node, "interleaved").value_or(0) != 0;
  return turned > 1 && turned % 2 == 0 && turned <= rotary.headDim &&
         (columns < 1 || columns == rotary.half);
}

std::string cut(Spelling& spelling, const std::string& value, std::int64_t begin, std::int64_t end,
                std::int64_t step) {
  return spelling.add("Slice", {value, spelling.integers({begin}), spelling.integers({end}),
                                spelling.integers({-1}), spelling.integers({step})});
}

std::string joined(Spelling& spelling, const std::vector<std::string>& values,
                   const std::string& output = "") {
  const std::string made = spelling.add("Concat", values, output);
  setAttribute(spelling.last(), "axis", std::int64_t{-1});
  return made;
}

// Interleaves two values [.. r] to [.. 2 r].
std::string inTurn(Spelling& spelling, const std::string& first, const std::string& second,
                   std::int64_t r) {
  std::vector<std::string> columns;
  for (const std::string& value : {first, second})
    columns.push_back(spelling.add("Reshape", {value, spelling.integers({0, 0, 0, r, 1})}));
  return spelling.add("Reshape", {joined(spelling, columns), spelling.integers({0, 0, 0, 2 * r})});
}

// Rotates the features; the results are parts to be joined.
std::vector<std::string> turned(Spelling& spelling, const Rotary& rotary, const std::string& x,
                                const std::string& cosines, const std::string& sines) {
  const std::int64_t r = rotary.half;
  const auto times = [&](const std::string& value, const std::string& factors) {
    return spelling.add("Mul", {value, factors});
  };
  if (!rotary.areNeighbours) {
    const std::string a = cut(spelling, x, 0, r, 1), b = cut(spelling, x, r, 2 * r, 1);
    const std::string first = spelling.add("Sub", {times(a, cosines), times(b, sines)});
    return {first, spelling.add("Add", {times(a, sines), times(b, cosines)})};
  }
  const std::string own = 2 * r < rotary.headDim ? cut(spelling, x, 0, 2 * r, 1) : x;
  const std::string a = cut(spelling, x, 0, 2 * r, 2), b = cut(spelling, x, 1, 2 * r, 2);
  const std::string other = inTurn(spelling, b, a, r);
  const std::string negative = spelling.add("Neg", {sines});
  return {spelling.add("Add", {times(own, inTurn(spelling, cosines, cosines, r)),
                               times(other, inTurn(spelling, negative, sines, r))})};
}

// Runs after all checks.
bool spellRotary(Spelling& spelling, const Rotary& rotary) {
  const Node& node = spelling.node();
  const std::int64_t r = rotary.half, d = rotary.headDim;
  const auto reshaped = [&](const std::string& value, const Integers& dims,
                            const std::string& output = "") {
    return spelling.add("Reshape", {value, spelling.integers(dims)}, output);
  };
  const std::string x =
      rotary.isInRows ? reshaped(node.input(0), {0, 0, rotary.heads, d}) : node.input(0);
  const Integers forHeads = rotary.isInRows ? Integers{0, -1, 1, r} : Integers{0, 1, -1, r};
  std::vector<std::string> parts = turned(spelling, rotary, x, reshaped(rotary.cosines, forHeads),
                                          reshaped(rotary.sines, forHeads));
  if (2 * r < d) parts.push_back(cut(spelling, x, 2 * r, d, 1));
  const std::string output = rotary.isInRows ? "" : node.output(0);
  std::string all = parts.front();
  if (parts.size() > 1) {
    all = joined(spelling, parts, output);
  } else if (!rotary.isInRows) {
    spelling.last().set_output(0, output);
  }
  if (rotary.isInRows) reshaped(all, {0, 0, rotary.heads * d}, node.output(0));
  return true;
}

bool isRank(const Spelling& spelling, const std::string& value, std::size_t rank) {
  const Integers* dims = spelling.dims(value);
  return dims != nullptr && dims->size() == rank;
}

// Returns rows of tables [most, r] at these places [B N].
std::string rowsAt(Spelling& spelling, const std::string& table, const std::string& places) {
  const std::string rows = spelling.add("Gather", {table, places});
  setAttribute(spelling.last(), "axis", std::int64_t{0});
  return rows;
}

}  // namespace

// ONNX 23. Inputs: x, cosines and sines [B N r], or of all places [most r] and the places [B N].
bool lowerRotary(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() < 3 || node.input_size() > 4) return false;
  for (int i = 0; i < 3; ++i) {
    if (!hasInput(node, i)) return false;
  }
  const bool hasPlaces = hasInput(node, 3);
  Rotary rotary;
  if (!isRank(spelling, node.input(1), hasPlaces ? 2 : 3) ||
      !isRank(spelling, node.input(2), hasPlaces ? 2 : 3) ||
      (hasPlaces && !isRank(spelling, node.input(3), 2)) ||
      !readSizes(spelling, lastSize(spelling, node.input(1)), rotary))
    return false;
  rotary.cosines = node.input(1);
  rotary.sines = node.input(2);
  if (hasPlaces) {
    rotary.cosines = rowsAt(spelling, node.input(1), node.input(3));
    rotary.sines = rowsAt(spelling, node.input(2), node.input(3));
  }
  return spellRotary(spelling, rotary);
}

// com.microsoft. Inputs: x, places [B N] or that of the first row [1], cosines and sines [most r].
bool lowerRuntimeRotary(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 4) return false;
  for (int i = 0; i < 4; ++i) {
    if (!hasInput(node, i)) return false;
  }
  const float scale = floatAttribute(node, "scale").value_or(1);
  Rotary rotary;
  if (scale != 1 || intAttribute(node, "is_packed_batching").value_or(0) != 0 ||
      !isRank(spelling, node.input(2), 2) || !isRank(spelling, node.input(3), 2) ||
      !readSizes(spelling, lastSize(spelling, node.input(2)), rotary))
    return false;
  const Integers* places = spelling.dims(node.input(1));
  if (places == nullptr) return false;
  if (places->size() == 1) {
    const auto begin = spelling.integersIn(node.input(1));
    const std::int64_t rows = (*spelling.dims(node.input(0)))[rotary.isInRows ? 1 : 2];
    constexpr std::int64_t kMostRows = 1 << 24;
    if (!begin || begin->size() != 1 || (*begin)[0] < 0 || (*begin)[0] > kMostRows || rows < 1 ||
        rows > kMostRows)
      return false;
    const std::string first = spelling.integers({(*begin)[0]});
    const std::string end = spelling.integers({(*begin)[0] + rows});
    const std::string axis = spelling.integers({0});
    const Integers forOne{1, rows, rotary.half};
    const auto rowsOf = [&](const std::string& table) {
      const std::string own = spelling.add("Slice", {table, first, end, axis});
      return spelling.add("Reshape", {own, spelling.integers(forOne)});
    };
    rotary.cosines = rowsOf(node.input(2));
    rotary.sines = rowsOf(node.input(3));
    return spellRotary(spelling, rotary);
  }
  if (places->size() != 2) return false;
  rotary.cosines = rowsAt(spelling, node.input(2), node.input(1));
  rotary.sines = rowsAt(spelling, node.input(3), node.input(1));
  return spellRotary(spelling, rotary);
}

}  // namespace mpm::onnx
