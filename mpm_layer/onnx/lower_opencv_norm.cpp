// SPDX-License-Identifier: Apache-2.0
#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {

bool spellInstanceNorm(Spelling& spelling) {
  const Node& node = spelling.node();
  if (floatAttribute(node, "epsilon")) return false;
  setAttribute(spelling.addCopy({node.input().begin(), node.input().end()}), "epsilon", 1e-5F);
  return true;
}

// Inputs x [B C ...], scale and shift, of as many elements as channels or groups.
bool spellGroupNorm(Spelling& spelling) {
  const Node& node = spelling.node();
  const float epsilon = floatAttribute(node, "epsilon").value_or(1e-5F);
  const std::int64_t groups = intAttribute(node, "num_groups").value_or(0);
  if (node.input_size() != 3 || !hasInput(node, 0)) return false;
  const Integers* dims = spelling.dims(node.input(0));
  if (dims == nullptr || dims->size() < 3 || groups <= 0 || groups > 65536) return false;
  const std::int64_t channels = (*dims)[1];
  const auto target = targetOf(*dims);
  if (!target || channels <= 0 || channels > 65536 || channels % groups != 0) return false;
  std::vector<float> weights[2];
  for (int i = 0; i < 2; ++i) {
    const auto given = spelling.floatsIn(inputOf(node, i + 1));
    if (!given || given->empty()) return false;
    const auto count = static_cast<std::int64_t>(given->size());
    if (count != groups && count != channels) return false;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      weights[i].push_back((*given)[static_cast<std::size_t>(channel / (channels / count))]);
    }
  }
  const auto size = static_cast<std::size_t>(groups);
  Integers shape(dims->size() - 1, 1);
  shape[0] = channels;
  const auto rows = spelling.integers({0, groups, -1});
  const auto flat = spelling.add("Reshape", {node.input(0), rows});
  const auto ones = spelling.floats({groups}, std::vector<float>(size, 1));
  const auto zeros = spelling.floats({groups}, std::vector<float>(size, 0));
  const auto even = spelling.add("InstanceNormalization", {flat, ones, zeros});
  setAttribute(spelling.last(), "epsilon", epsilon);
  const auto again = spelling.add("Reshape", {even, spelling.integers(*target)});
  const auto scaled = spelling.add("Mul", {again, spelling.floats(shape, weights[0])});
  spelling.add("Add", {scaled, spelling.floats(shape, weights[1])}, node.output(0));
  return true;
}

bool spellLpNorm(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::int64_t power = intAttribute(node, "p").value_or(2);
  const std::int64_t axis = intAttribute(node, "axis").value_or(-1);
  if (node.input_size() != 1 || !hasInput(node, 0) || power < 1 || power > 2) return false;
  std::string size = spelling.add(power == 2 ? "ReduceSumSquare" : "ReduceL1", {node.input(0)});
  setAttribute(spelling.last(), "axes", Integers{axis});
  setAttribute(spelling.last(), "keepdims", std::int64_t{1});
  if (power == 2) size = spelling.add("Sqrt", {size});
  spelling.add("Div", {node.input(0), size}, node.output(0));
  return true;
}

}  // namespace mpm::onnx
