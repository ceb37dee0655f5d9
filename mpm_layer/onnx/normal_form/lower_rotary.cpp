// SPDX-License-Identifier: Apache-2.0
// Rotary positions in one node, in plain operators. Sizes: B images, N rows, h heads of d features,
// of which 2 r are turned.
#include <cstdint>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"

namespace mpm::onnx {
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

// The sizes of what is turned; half of its features are given, or 0 for all of a head's.
bool readSizes(const Spelling& spelling, std::int64_t columns, Rotary& rotary) {
  const Node& node = spelling.node();
  const Integers* dims = spelling.dims(node.input(0));
  if (dims == nullptr || (dims->size() != 3 && dims->size() != 4) || dims->back() < 1) return false;
  const std::int64_t named = intAttribute(node, "rotary_embedding_dim").value_or(0);
  rotary.heads = intAttribute(node, "num_heads").value_or(0);
  rotary.isInRows = dims->size() == 3;
  rotary.headDim = dims->back();
  if (rotary.isInRows) {
    // ONNX Runtime's may leave the heads out, which are as wide as the tables say then.
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

// Two values [.. r], an element of each in turn: [.. 2 r].
std::string inTurn(Spelling& spelling, const std::string& first, const std::string& second,
                   std::int64_t r) {
  std::vector<std::string> columns;
  for (const std::string& value : {first, second})
    columns.push_back(spelling.add("Reshape", {value, spelling.integers({0, 0, 0, r, 1})}));
  return spelling.add("Reshape", {joined(spelling, columns), spelling.integers({0, 0, 0, 2 * r})});
}

// What becomes of the turned features; its parts lie behind each other.
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

// Everything was checked.
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

// Rows of tables [most, r] at these places [B N].
std::string rowsAt(Spelling& spelling, const std::string& table, const std::string& places) {
  const std::string rows = spelling.add("Gather", {table, places});
  setAttribute(spelling.last(), "axis", std::int64_t{0});
  return rows;
}

}  // namespace

// ONNX 23. Inputs x, cosines and sines [B N r], or of all places [most r] and those of the rows
// [B N].
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

// com.microsoft. Inputs x, places [B N] or that of the first row [1], cosines and sines [most r].
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
