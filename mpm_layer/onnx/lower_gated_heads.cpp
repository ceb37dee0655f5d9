// SPDX-License-Identifier: Apache-2.0
// What attention gives may be multiplied head by head before heads are joined. The same comes of
// rows that are multiplied afterwards, which is what others know.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {
namespace {

// A Reshape [B, N, H d] behind a Transpose of heads [B, H, N, d] that are a mix times others.
struct JoinedHeads {
  std::string mix;
  std::vector<std::string> gates;               // the last one it is multiplied with first
  std::int64_t heads = 0, rows = 0, width = 0;  // H, N, d
  Integers target;                              // of the Reshape
};

constexpr int kMostGates = 3;

// Whether a value is what q and k mix of v, multiplied by at most so many.
bool isMix(const Spelling& spelling, const std::string& value, int gates) {
  const Model& model = spelling.model();
  const Node* node = model.producer(value);
  if (node == nullptr || node->input_size() != 2) return false;
  if (isOp(*node, "Mul") && gates > 0)
    return isMix(spelling, node->input(0), gates - 1) != isMix(spelling, node->input(1), gates - 1);
  return isOp(*node, "MatMul") && !model.constant(node->input(0)) &&
         !model.constant(node->input(1));
}

std::optional<JoinedHeads> joinedHeads(const Spelling& spelling) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  const Node* turn = hasInput(node, 0) ? model.producer(node.input(0)) : nullptr;
  const std::optional<Integers> target =
      hasInput(node, 1) ? spelling.integersIn(node.input(1)) : std::nullopt;
  if (turn == nullptr || !isOp(*turn, "Transpose") || !target || target->size() != 3 ||
      intsAttribute(*turn, "perm") != Integers{0, 2, 1, 3} ||
      !isMix(spelling, turn->input(0), kMostGates))
    return std::nullopt;
  JoinedHeads found{turn->input(0), {}, 0, 0, 0, *target};
  for (int left = kMostGates - 1; !isMix(spelling, found.mix, 0); --left) {
    const Node& product = *model.producer(found.mix);
    const int side = isMix(spelling, product.input(0), left) ? 0 : 1;
    found.gates.push_back(product.input(1 - side));
    found.mix = product.input(side);
  }
  const Integers *dims = spelling.dims(found.mix), *joined = spelling.dims(node.output(0));
  if (found.gates.empty() || dims == nullptr || dims->size() != 4 ||
      std::any_of(dims->begin() + 1, dims->end(), [](auto d) { return d < 1; }))
    return std::nullopt;
  found.heads = (*dims)[1], found.rows = (*dims)[2], found.width = (*dims)[3];
  if (joined == nullptr || joined->size() != 3 || (*joined)[1] != found.rows ||
      joined->back() != found.heads * found.width)
    return std::nullopt;
  return found;
}

// Numbers that are the same for all images and rows, one for each feature of the joined heads.
std::optional<std::vector<float>> factorsOfRows(const Spelling& spelling, const JoinedHeads& joined,
                                                const std::string& gate) {
  const std::optional<Tensor> tensor = spelling.model().constant(gate);
  const auto values = spelling.floatsIn(gate);
  if (!values || tensor->dims().size() > 4 || tensor->count() < 2) return std::nullopt;
  Integers dims = tensor->dims();
  dims.insert(dims.begin(), 4 - dims.size(), 1);
  const bool isByHead = dims[1] == joined.heads, isByFeature = dims[3] == joined.width;
  if (dims[0] != 1 || dims[2] != 1 || (dims[1] != 1 && !isByHead) || (dims[3] != 1 && !isByFeature))
    return std::nullopt;
  std::vector<float> all;
  for (std::int64_t head = 0; head < joined.heads; ++head) {
    for (std::int64_t i = 0; i < joined.width; ++i) {
      const std::int64_t at = (isByHead ? head * dims[3] : 0) + (dims[3] == 1 ? 0 : i);
      all.push_back((*values)[static_cast<std::size_t>(at)]);
    }
  }
  return all;
}

std::string spellJoined(Spelling& spelling, const JoinedHeads& joined, const std::string& value,
                        std::int64_t features) {
  Integers target = joined.target;
  target.back() = features;
  return spelling.add("Reshape",
                      {spellTranspose(spelling, value, {0, 2, 1, 3}), spelling.integers(target)});
}

// [H, H d]: gives each of a head's features the head's number.
std::string spreading(Spelling& spelling, const JoinedHeads& joined) {
  const std::int64_t features = joined.heads * joined.width;
  std::vector<float> spread(static_cast<std::size_t>(joined.heads * features));
  for (std::int64_t i = 0; i < features; ++i)
    spread[static_cast<std::size_t>(i / joined.width * features + i)] = 1;
  return spelling.floats({joined.heads, features}, spread);
}

// Whether it is something of each row and head, or the same for all rows.
bool isOfRows(const Spelling& spelling, const JoinedHeads& joined, const std::string& gate) {
  if (factorsOfRows(spelling, joined, gate)) return true;
  const Integers* dims = spelling.dims(gate);
  return !spelling.model().constant(gate) && dims != nullptr && dims->size() == 4 &&
         (*dims)[1] == joined.heads && (*dims)[2] == joined.rows &&
         ((*dims)[3] == joined.width || (*dims)[3] == 1);
}

// What rows are multiplied with.
std::string gateOfRows(Spelling& spelling, const JoinedHeads& joined, const std::string& gate) {
  if (const auto vector = factorsOfRows(spelling, joined, gate))
    return spelling.floats({static_cast<std::int64_t>(vector->size())}, *vector);
  const std::int64_t width = spelling.dims(gate)->back();
  // A function of single elements may as well be one of rows.
  const Node* bent = spelling.model().producer(gate);
  const bool isBent = bent != nullptr && isAny(*bent, {"Sigmoid", "Tanh", "Relu", "HardSigmoid"});
  std::string rows =
      spellJoined(spelling, joined, isBent ? bent->input(0) : gate, joined.heads * width);
  if (isBent) {
    rows = spelling.add(bent->op_type().c_str(), {rows});
    *spelling.last().mutable_attribute() = bent->attribute();
  }
  return width == joined.width ? rows : spelling.add("MatMul", {rows, spreading(spelling, joined)});
}

}  // namespace

bool lowerGatedHeads(Spelling& spelling) {
  const std::optional<JoinedHeads> joined = joinedHeads(spelling);
  if (!joined || !std::all_of(joined->gates.begin(), joined->gates.end(),
                              [&](const auto& gate) { return isOfRows(spelling, *joined, gate); }))
    return false;
  std::string rows = spellJoined(spelling, *joined, joined->mix, joined->heads * joined->width);
  for (auto gate = joined->gates.rbegin(); gate != joined->gates.rend(); ++gate) {
    const std::string factor = gateOfRows(spelling, *joined, *gate);
    if (gate + 1 == joined->gates.rend()) {
      spelling.add("Mul", {rows, factor}, spelling.node().output(0));
    } else {
      rows = spelling.add("Mul", {rows, factor});
    }
  }
  return true;
}

}  // namespace mpm::onnx
