// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/attribute.h"
#include "onnx/layers/lower_opencv.h"

namespace mpm::onnx {

// With factors of its own it takes the last channel's for all images but the first.
bool spellInstanceNorm(Spelling& spelling) {
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  const auto scale = spelling.floatsIn(inputOf(node, 1));
  const auto shift = spelling.floatsIn(inputOf(node, 2));
  if (node.input_size() != 3 || dims == nullptr || dims->size() < 3 || !scale || !shift)
    return false;
  if (scale->empty() || scale->size() != shift->size()) return false;
  const auto channels = static_cast<std::int64_t>(scale->size());
  Integers shape(dims->size() - 1, 1);
  shape[0] = channels;
  const auto ones = spelling.floats({channels}, std::vector<float>(scale->size(), 1));
  const auto zeros = spelling.floats({channels}, std::vector<float>(scale->size(), 0));
  const auto even = spelling.add("InstanceNormalization", {node.input(0), ones, zeros});
  setAttribute(spelling.last(), "epsilon", floatAttribute(node, "epsilon").value_or(1e-5F));
  const auto scaled = spelling.add("Mul", {even, spelling.floats(shape, *scale)});
  spelling.add("Add", {scaled, spelling.floats(shape, *shift)}, node.output(0));
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

}  // namespace mpm::onnx
