// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/find.h"
#include "onnx/recognise/rotary_factors.h"

namespace mpm::onnx {
namespace {

constexpr std::size_t kMostNodes = 64;

bool isKnown(const Facts& facts, const std::string& value) {
  const Known* known = facts.values.content(value);
  return known != nullptr && known->isSure();
}

// The region that ends at `output`, whose input is of the same dims but for the order of two of
// them.
std::optional<RotaryRegion> regionBehind(const Facts& facts, const std::string& output) {
  const Integers* dims = facts.values.dims(output);
  const std::vector<const Node*>& order = facts.model.nodes();
  std::unordered_map<const Node*, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  RotaryRegion region;
  std::unordered_set<std::string> frontier{output};
  while (region.nodes.size() < kMostNodes) {
    const Node* last = nullptr;
    for (const std::string& value : frontier) {
      const Node* node = facts.model.producer(value);
      if (node != nullptr && (last == nullptr || place[node] > place[last])) last = node;
    }
    if (last == nullptr || !isAny(*last, {"Add", "Sub", "Mul", "Neg", "Concat", "Slice", "Split",
                                          "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Gather",
                                          "ScatterND", "Identity", "Cast", "Expand", "Flatten"}))
      return std::nullopt;
    for (const std::string& made : last->output()) frontier.erase(made);
    region.nodes.push_back(last);
    for (const std::string& input : last->input()) {
      if (!input.empty() && !isKnown(facts, input)) frontier.insert(input);
    }
    if (frontier.empty()) return std::nullopt;
    const Integers* before = facts.values.dims(*frontier.begin());
    if (frontier.size() != 1 || before == nullptr) continue;
    region.swapsAxes = *before != *dims;
    if (region.swapsAxes && *before != region.dimsBefore(*dims)) continue;
    region.input = *frontier.begin();
    std::reverse(region.nodes.begin(), region.nodes.end());
    return region;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FoundRotary> findRotary(const Facts& facts, const std::string& output,
                                      std::size_t rowAxis, std::optional<std::size_t> headAxis) {
  const Integers* dims = facts.values.dims(output);
  if (dims == nullptr || dims->size() < 3 || rowAxis + 1 >= dims->size()) return std::nullopt;
  if (std::any_of(dims->begin(), dims->end(), [](auto dim) { return dim < 1; }))
    return std::nullopt;
  const std::optional<RotaryRegion> region = regionBehind(facts, output);
  if (!region) return std::nullopt;
  if (facts.rotary == nullptr) facts.rotary = std::make_shared<RotaryMemo>();
  std::optional<FoundRotary> found =
      facts.rotary->factors(facts, *region, output, rowAxis, headAxis);
  if (!found) return std::nullopt;
  found->input = region->input;
  found->swapsAxes = region->swapsAxes;
  found->nodes.assign(region->nodes.rbegin(), region->nodes.rend());
  return found;
}

}  // namespace mpm::onnx
