// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"

namespace mpm::onnx {
namespace {

// What a Pad cuts off, since it is told to add less than nothing.
struct Crop {
  Integers axes, starts, ends;
};

// Nothing where it cuts off nothing, or all of what it is told of.
std::optional<Crop> cropOf(const Integers& pads, const Integers& dims) {
  const std::size_t rank = dims.size();
  Crop crop;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t before = std::min<std::int64_t>(pads[i], 0),
                       after = std::min<std::int64_t>(pads[rank + i], 0);
    if (before == 0 && after == 0) continue;
    if (before < -dims[i] || after < -dims[i] || dims[i] + before + after < 1) return std::nullopt;
    crop.axes.push_back(static_cast<std::int64_t>(i));
    crop.starts.push_back(-before);
    crop.ends.push_back(after < 0 ? after : std::numeric_limits<std::int64_t>::max());
  }
  return crop.axes.empty() ? std::nullopt : std::optional(crop);
}

}  // namespace

// A Pad of less than nothing on some side, as pictures are moved by: what it cuts off, then what it
// adds.
bool lowerCroppingPad(Spelling& spelling) {
  constexpr std::int64_t kPadsAreInputs = 11;  // the opset
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  if (spelling.model().opset() < kPadsAreInputs || dims == nullptr || !hasInput(node, 1) ||
      hasInput(node, 3) || stringAttribute(node, "mode").value_or("constant") != "constant")
    return false;
  std::optional<Integers> pads = spelling.integersIn(node.input(1));
  if (!pads || pads->size() != 2 * dims->size()) return false;
  const std::optional<Crop> crop = cropOf(*pads, *dims);
  if (!crop) return false;
  for (std::int64_t& pad : *pads) pad = std::max<std::int64_t>(pad, 0);
  const bool adds = std::any_of(pads->begin(), pads->end(), [](auto pad) { return pad != 0; });
  const std::string rest =
      spelling.add("Slice",
                   {node.input(0), spelling.integers(crop->starts), spelling.integers(crop->ends),
                    spelling.integers(crop->axes)},
                   adds ? std::string() : node.output(0));
  if (!adds) return true;
  std::vector<std::string> inputs(node.input().begin(), node.input().end());
  inputs[0] = rest;
  inputs[1] = spelling.integers(*pads);
  spelling.addCopy(inputs);
  return true;
}

}  // namespace mpm::onnx
